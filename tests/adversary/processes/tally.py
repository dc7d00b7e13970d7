# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The program's own count of its launches, in shared memory, of the form of
tests/system/apps/tally.hpp."""
import os
import struct
import time

TICKS, TICK_NS = 4096, 100_000_000
HEAD = struct.Struct("=5Q")
BYTES = HEAD.size + 8 * TICKS


class Tally:
    def __init__(self, path):
        """Makes the file, so that a program that may write none finds it."""
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(BYTES))
        os.chmod(path, 0o666)  # The program may be another user's.

    def _read(self):
        with open(self.path, "rb") as file:
            data = file.read(BYTES)
        return HEAD.unpack_from(data), struct.unpack_from(f"={TICKS}Q", data, HEAD.size)

    @property
    def begun(self):
        return self._read()[0][0]

    @property
    def done(self):
        return self._read()[0][1]

    @property
    def expected(self):
        """Launches that the trace must account for: those accepted when exit was called, or all."""
        head = self._read()[0]
        return head[3] - 1 if head[3] else head[1]

    @property
    def handled(self):
        return self._read()[0][4]

    def since(self, seconds, now=None):
        """Launches accepted in the seconds before `now` (time.monotonic()), to a tenth more."""
        now_ns = int((time.monotonic() if now is None else now) * 1e9)
        first, last = int(now_ns - seconds * 1e9) // TICK_NS, now_ns // TICK_NS
        ticks = self._read()[1]
        return sum(ticks[tick % TICKS] for tick in range(first, last + 1))
