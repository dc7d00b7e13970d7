# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs prof-report and reads what it prints, as it comes."""
from __future__ import annotations

import contextlib
import gc
import json
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator

from .errors import Error

#: Of text that is parsed at once. Larger blocks are no faster.
_BLOCK_BYTES = 1 << 20
_PREFIX = "prof-report: "


class Run:
    """A run of prof-report, `program`, that prints an array with an object on each line."""

    def __init__(self, program: str, arguments: list[str]):
        self._command = [program, *arguments]
        #: What prof-report says on stderr: complete after one of the methods.
        self.notes: list[str] = []

    def each_block(self, use: Callable[[list[dict]], None]) -> None:
        """Hands the objects to `use`, about a thousand at a time, as they come. Raises Error if
        prof-report fails, after the objects that it has printed."""
        last = [b""]

        def parse(lines: list[bytes]) -> None:
            last[:] = lines[-1:]
            with _paused_collection():
                use(self._parse(lines))

        self._each_lines(parse)
        if last != [b"]\n"] and last != [b"[]\n"]:
            raise self._stranger()

    def objects(self) -> list[dict]:
        """All of them."""
        found: list[dict] = []
        self.each_block(found.extend)
        return found

    def text(self) -> str:
        """What it prints, whatever that is."""
        lines: list[bytes] = []
        self._each_lines(lines.extend)
        return b"".join(lines).decode("utf-8", "replace")

    def _each_lines(self, use: Callable[[list[bytes]], None]) -> None:
        # stderr is a file: a second pipe would have to be read at the same time.
        with tempfile.TemporaryFile() as said, self._start(said) as process:
            try:
                while lines := process.stdout.readlines(_BLOCK_BYTES):
                    use(lines)
            except BaseException:
                process.kill()
                raise
            self._end(process.wait(), said)

    def _start(self, said) -> subprocess.Popen:
        try:
            # UTF-8 is what prof-report reads, whatever the locale of this program is.
            command = [word.encode("utf-8", "surrogateescape") for word in self._command]
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stderr=said, stdout=subprocess.PIPE
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise Error("%s: cannot be run: %s" % (self._command[0], reason)) from None

    def _parse(self, lines: list[bytes]) -> list[dict]:
        objects = [line.rstrip(b",\n") for line in lines if line.startswith(b"{")]
        if len(objects) < sum(line.strip() not in (b"[", b"]", b"[]") for line in lines):
            raise self._stranger()
        # One call: it makes the text of each key once.
        try:
            return json.loads(b"[" + b",".join(objects) + b"]")
        except ValueError:
            raise self._stranger() from None

    def _end(self, code: int, said) -> None:
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
        self.notes = [line.removeprefix(_PREFIX) for line in text.split("\n") if line]
        if code < 0:
            raise Error(
                "%s: was ended by %s; run it in a shell: %s"
                % (self._command[0], _name_of(-code), subprocess.list2cmdline(self._command))
            )
        if code > 0:
            raise Error(
                self.notes[-1]
                if self.notes
                else "%s: failed with exit code %d" % (self._command[0], code)
            )

    def _stranger(self) -> Error:
        return Error(
            "%s: does not print what prof-report does; set PROF_REPORT to the one of this "
            "version" % self._command[0]
        )


@contextlib.contextmanager
def _paused_collection() -> Iterator[None]:
    """Rows live for milliseconds, but there are so many that Python's garbage collector comes by
    and looks at every value read so far, again and again: more than half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number
