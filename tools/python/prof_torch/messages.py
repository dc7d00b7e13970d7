# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Messages to the user. They go to descriptor 2, as long as it is unchanged since this module was
loaded, and not through sys.stderr, which may be None, closed, replaced by the program, or fail at
exit because of our output. A reader that is gone or stalled costs the program no more than a
moment."""
import os
import select
import signal
import stat

_MOST_BYTES = 4096  # PIPE_BUF: what a ready pipe accepts without blocking
_PATIENCE_MS = 200
_RAISED_BY_WRITING = {signal.SIGPIPE, signal.SIGXFSZ}


def _identity():
    try:
        info = os.fstat(2)
    except OSError:
        return None
    return info.st_dev, info.st_ino, info.st_rdev, stat.S_IFMT(info.st_mode)


_seen = _identity()


def print_message(text):
    """Prints "prof_torch: TEXT" as one line. Never fails."""
    try:
        line = "prof_torch: " + "".join(c if c.isprintable() else " " for c in text)
        _write(line.encode("utf-8", "backslashreplace")[: _MOST_BYTES - 1] + b"\n")
    except Exception:  # There is nobody to report to.
        pass


def _write(line):
    poll = select.poll()
    poll.register(2, select.POLLOUT)
    if not poll.poll(_PATIENCE_MS) or _seen is None or _identity() != _seen:
        return
    pending = signal.sigpending()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [*_RAISED_BY_WRITING, signal.SIGTTOU])
    try:
        os.write(2, line)
    except OSError:
        for number in _RAISED_BY_WRITING - pending:
            signal.sigtimedwait([number], 0)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
