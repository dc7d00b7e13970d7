# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs prof-report and reads what it prints, as it comes."""
from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator

from .errors import Error

#: Of text that is parsed at once. Larger blocks are no faster.
_BLOCK_BYTES = 1 << 20
_PREFIX = "prof-report: "


class Run:
    """A run of prof-report, `program`, that prints an array with an object on each line."""

    def __init__(self, program: str, arguments: list[str]):
        self._command = [program, *arguments]
        #: What prof-report says on stderr: complete after the last block.
        self.notes: list[str] = []

    def blocks(self) -> Iterator[list[dict]]:
        """The objects, a few thousand at a time. Raises Error if prof-report fails, after the
        objects that it has printed."""
        is_whole = False
        for lines in self.lines():
            is_whole = lines[-1].endswith(b"]\n")
            yield self._parse(lines)
        if not is_whole:
            raise self._stranger()

    def objects(self) -> list[dict]:
        return [one for block in self.blocks() for one in block]

    def lines(self) -> Iterator[list[bytes]]:
        """What it prints, whatever that is."""
        # stderr is a file: a second pipe would have to be read at the same time.
        with tempfile.TemporaryFile() as said, self._start(said) as process:
            try:
                while lines := process.stdout.readlines(_BLOCK_BYTES):
                    yield lines
            except BaseException:  # also if nobody wants the other lines
                process.kill()
                raise
            self._end(process.wait(), said)

    def _start(self, said) -> subprocess.Popen:
        try:
            return subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stderr=said,
                                    stdout=subprocess.PIPE)
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
            raise Error("%s: was ended by %s; run it in a shell: %s" %
                        (self._command[0], _name_of(-code), subprocess.list2cmdline(self._command)))
        if code > 0:
            raise Error(self.notes[-1] if self.notes else
                        "%s: failed with exit code %d" % (self._command[0], code))

    def _stranger(self) -> Error:
        return Error("%s: does not print what prof-report does; set PROF_REPORT to the one of this "
                     "version" % self._command[0])


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal %d" % number
