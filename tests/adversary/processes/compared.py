# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Rows for which the program does nothing but tell what it sees: bare and under prof-run it must
see the same, and so must those who started it."""
import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

import harness
from processes import runs
from processes.scenario import Row, Scenario

PROBE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "probe.py")
PATIENCE = 20
NOT_OVER = "not over"


class Place:
    """A folder for one run, and what starts a program there."""

    def __init__(self, scratch, machine, profiled):
        self.scratch, self.profiled = scratch, profiled
        self.folder = os.path.join(scratch, "work")
        os.mkdir(self.folder)
        self.env = {**machine.environment(scratch), "LAUNCHER": str(os.getpid())}
        self.program = machine.programs["script"]
        self.options = []

    def words(self, *program, output="trace.db"):
        if not self.profiled:
            return list(program)
        return [
            harness.PROF_RUN,
            *self.options,
            "-o",
            os.path.join(self.folder, output),
            "--force",
            "--",
            *program,
        ]

    def probe(self, *words, output="trace.db"):
        return self.words(sys.executable, "-B", PROBE, *map(str, words), output=output)

    def start(self, command, **options):
        options = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.DEVNULL,
            "start_new_session": True,
            **options,
        }
        return subprocess.Popen(command, env=self.env, cwd=self.folder, **options)

    def run(self, command, **options):
        """(wait status, stdout)"""
        process = self.start(command, **options)
        return ended(process)

    def file(self, name):
        with contextlib.suppress(OSError):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                return file.read()
        return None


def ended(process):
    """(wait status, the rest of stdout) of a program in a session of its own."""
    try:
        out, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, out.decode("utf-8", "replace") if out is not None else ""
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return NOT_OVER, ""


def wait_ready(process):
    """The process id that the probe tells; a line of its stdout."""
    line = process.stdout.readline().split()
    return int(line[1]) if len(line) == 2 and line[0] == b"ready" else None


READY = rb"ready \d+\r\n"


def read_until(descriptor, pattern, seconds=PATIENCE):
    """What a terminal shows until there is a match of `pattern`, or nothing more comes."""
    shown, until = b"", time.monotonic() + seconds
    while not re.search(pattern, shown) and time.monotonic() < until:
        if not select.select([descriptor], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(descriptor, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    return shown.decode("utf-8", "replace")


def left_running(folder):
    """Programs that are still there a while after the end, by their environment."""
    until = time.monotonic() + 3
    while True:
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                with open(f"/proc/{number}/environ", "rb") as file:
                    if os.fsencode(folder) in file.read():
                        with open(f"/proc/{number}/cmdline", "rb") as words:
                            found.append(words.read().replace(b"\0", b" ").decode())
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def as_shells_show(status):
    return str(128 - status) if isinstance(status, int) and status < 0 else str(status)


def compare(observe):
    """The run of a scenario: observe(place) -> {what: seen}; False is not what the row is about."""

    def run(scenario, machine, _options):
        seen = []
        for profiled in (False, True):
            with runs.scratch_folder() as scratch:
                one = observe(Place(scratch, machine, profiled))
                seen.append({**one, "left running": left_running(scratch)})
        bare, profiled = seen
        row = Row(scenario.name, scenario.did)
        row.without, row.with_ = (as_shells_show(each.get("status", "-")) for each in seen)
        if NOT_OVER in repr(bare) or any(value is False for value in bare.values()):
            row.problems.append(f"the scenario is wrong: the bare program does not do this: {bare}")
        for what in sorted({*bare, *profiled}, key=str):
            if bare.get(what) != profiled.get(what):
                row.problems.append(f"{what}: {profiled.get(what)!r} instead of {bare.get(what)!r}")
        return row

    return run


def same(name, did, observe, **options):
    return Scenario(name, did, run=compare(observe), **options)
