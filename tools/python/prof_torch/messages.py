# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Messages to the user. They go to descriptor 2, as long as it is what it was at the program's
start, and not through sys.stderr, which may be None, closed, replaced by the program, or fail at
exit because of our output. A reader that is gone or stalled costs the program no more than a
moment.

`select` and `signal` may be modules of the program; what they are made of is not."""
import _signal
import ctypes
import os
import stat

_MOST_BYTES = 4096  # PIPE_BUF: what a ready pipe accepts without blocking
_PATIENCE_MS = 200
_POLLOUT = 4
_RAISED_BY_WRITING = {_signal.SIGPIPE, _signal.SIGXFSZ}


class _PollFd(ctypes.Structure):
    """struct pollfd (poll.h)."""

    _fields_ = [("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


def stderr_now():
    """What descriptor 2 is; None if it is closed."""
    try:
        return os.fstat(2)
    except OSError:
        return None


def _identity(info):
    return info and (info.st_dev, info.st_ino, info.st_rdev, stat.S_IFMT(info.st_mode))


_seen = _identity(stderr_now())


def set_stderr(info):
    """What stderr_now() was at the program's start, if this module is loaded later."""
    global _seen
    _seen = _identity(info)


_show = None


def show_with(show):
    """From here on messages go to `show(TEXT)`; None: to descriptor 2. Returns what it was."""
    global _show
    before, _show = _show, show
    return before


def print_message(text):
    """Prints "prof_torch: TEXT" as one line. Never fails."""
    try:
        if _show is not None:
            return _show(text)
        line = "prof_torch: " + "".join(c if c.isprintable() else " " for c in text)
        _write(line.encode("utf-8", "backslashreplace")[: _MOST_BYTES - 1] + b"\n")
    except Exception:  # There is nobody to report to.
        pass


def _is_ready():
    asked = _PollFd(2, _POLLOUT, 0)
    return ctypes.CDLL(None).poll(ctypes.byref(asked), ctypes.c_ulong(1), _PATIENCE_MS) > 0


def _write(line):
    if not _is_ready() or _seen is None or _identity(stderr_now()) != _seen:
        return
    pending = _signal.sigpending()
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, [*_RAISED_BY_WRITING, _signal.SIGTTOU])
    try:
        os.write(2, line)
    except OSError:
        for number in _RAISED_BY_WRITING - pending:
            _signal.sigtimedwait([number], 0)
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
