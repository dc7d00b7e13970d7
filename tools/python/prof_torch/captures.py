# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Captures from inside the program: a block, or steps of a training loop."""
import ctypes
import os

from . import library
from .messages import print_message


def spec_of(steps):
    """The windows of prof-run --capture for `steps`: a number, a range, or several of both."""
    if isinstance(steps, int):
        steps = [steps]
    numbers = set()
    for part in steps:
        numbers.update([part] if isinstance(part, int) else part)
    if not numbers or min(numbers) < 0:
        raise ValueError("steps must be numbers from 0 on, as range(10, 13), not %r" % (steps,))
    spans = []
    for number in sorted(numbers):
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return "steps:" + ",".join("%d..%d" % tuple(span) for span in spans)


class Capture:
    """A running capture, or one of steps to come. Ends with stop(), with its block or with the
    process."""

    def __init__(self, output, steps, force, on_stop, verbose=True):
        self._on_stop = on_stop
        self._library = None
        try:
            found = library.load()
        except OSError as error:
            return self._fail(str(error))
        options = library.Options(
            struct_size=ctypes.sizeof(library.Options),
            output=os.fsencode(output),
            force=int(force),
            verbose=int(verbose),
        )
        if steps is None:
            result = found.prof_start(options)
        else:
            result = found.prof_start_windows(options, spec_of(steps).encode())
        if result != 0:
            return self._fail(found.prof_last_error().decode("utf-8", "replace"))
        self._library = found

    @property
    def is_running(self):
        """False if it could not start (which was said on stderr), or after its end."""
        return self._library is not None

    def stop(self):
        """Ends the capture and writes its trace. Waits for the GPU's work."""
        found, self._library = self._library, None
        if found is not None and found.prof_stop() != 0:
            print_message(found.prof_last_error().decode("utf-8", "replace"))
        on_stop, self._on_stop = self._on_stop, None
        if on_stop is not None:
            on_stop()

    def wants_marks(self):
        """Whether a window is open, or the whole is captured."""
        return self._library is not None and self._library.prof_wants_marks() != 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()

    def _fail(self, why):
        print_message("nothing is captured: " + why)
