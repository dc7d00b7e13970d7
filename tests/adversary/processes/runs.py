# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario's program in a folder of its own, bare or profiled, and keeps what is seen from
outside."""
import contextlib
import fnmatch
import os
import shutil
import signal
import subprocess
import tempfile
import time

import harness
from processes.tally import Tally

LONGEST_WATCH = 13  # seconds: a watcher gives up asking a driver after ten


class Outcome:
    """One run. status as a shell tells it: 128+N where signal N ended the program; None: hung."""

    status, stdout, stderr, seconds, ended_at = None, b"", b"", 0.0, 0.0
    left_running = False

    def __init__(self, scratch):
        self.folder = os.path.join(scratch, "work")
        self.tally = Tally(os.path.join(scratch, "tally"))
        self.before = set()

    @property
    def own_stderr(self):
        return [
            line
            for line in self.stderr.split(b"\n")
            if line and not line.startswith((b"prof:", b"prof-run:"))
        ]

    @property
    def prof_lines(self):
        return [
            line.decode("utf-8", "surrogateescape")
            for line in self.stderr.split(b"\n")
            if line.startswith((b"prof:", b"prof-run:"))
        ]

    def files(self):
        """Paths of all files of the run's folder, relative to it."""
        found = []
        for place, folders, names in os.walk(self.folder):
            found += [os.path.relpath(os.path.join(place, name), self.folder) for name in names]
        return sorted(found)

    def traces(self):
        return [os.path.join(self.folder, name) for name in self.files() if name.endswith(".db")]


@contextlib.contextmanager
def scratch_folder():
    folder = tempfile.mkdtemp(prefix="prof-adversary-")
    os.chmod(folder, 0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fill(text, scenario, machine, outcome, env):
    values = {
        "{folder}": outcome.folder,
        "{app}": machine.programs[scenario.app],
        "{tally}": outcome.tally.path,
        "{path}": env["LD_LIBRARY_PATH"],
        "{plugin}": machine.plugin,
        "{bad_disk}": machine.bad_disk,
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def words_of(scenario, machine, outcome, env, profiled):
    """The program's command line, with the door before it."""
    words = [*scenario.inner, "{app}", scenario.script]
    program = [fill(word, scenario, machine, outcome, env) for word in words]
    if not profiled:
        return program
    output = scenario.output if scenario.relative else os.path.join(outcome.folder, scenario.output)
    if scenario.door == "run":
        # An absolute path stays as it is.
        prof_run = os.path.join(outcome.folder, scenario.prof_run or harness.PROF_RUN)
        return [prof_run, "-o", output, *scenario.options, "--", *program]
    env["PROF_OUTPUT"] = output
    return ["env", f"LD_PRELOAD={harness.INJECT}", *program]


def open_stderr(kind, scratch):
    """(descriptor for the program, descriptors to close afterwards, path to read or None)"""
    if kind == "file":
        path = os.path.join(scratch, "stderr")
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), [], path
    reader, writer = os.pipe()
    if kind == "broken":
        os.close(reader)
        return writer, [], None
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x" * 4096)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, b"x")
    os.set_blocking(writer, True)
    return writer, [reader], None


def using(path):
    """Processes that have the file mapped: the programs of a run, daemons of other groups too."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{name}/maps", "rb") as file:
                if os.fsencode(path) in file.read():
                    found.append(int(name))
    return found


def is_group(number):
    """Whether the process group has members: also those that have not mapped the file yet."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def watcher_of(run):
    """What prof-run left behind when it became the program `run`, or None before that."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            links = os.listdir(f"/proc/{name}/fd")
            found = [os.readlink(f"/proc/{name}/fd/{link}") for link in links]
            if any(target.startswith(f"/memfd:prof-run-{run}-") for target in found):
                return int(name)
    return None


def end_all(outcome, process):
    """Ends what is left of a run; whether there was a program of it."""
    left = using(outcome.tally.path)
    for number in left:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(number, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return bool(left)


def start(scenario, machine, scratch, profiled):
    """Prepares the folder and starts the program in a process group of its own."""
    outcome = Outcome(scratch)
    os.mkdir(outcome.folder, 0o755)
    if scenario.setup:
        scenario.setup(outcome.folder)
    return outcome, start_in(scenario, machine, outcome, scratch, profiled)


def start_in(scenario, machine, outcome, scratch, profiled):
    """Starts the program in a folder that is there."""
    outcome.before = set(outcome.files())
    env = machine.environment(scratch)
    env["APP_TALLY"] = outcome.tally.path
    env.update(
        {key: fill(value, scenario, machine, outcome, env) for key, value in scenario.env.items()}
    )
    command = [
        "bash",
        "-c",
        scenario.shell,
        "bash",
        *words_of(scenario, machine, outcome, env, profiled),
    ]
    descriptor, others, path = open_stderr(scenario.stderr, scratch)
    with open(os.path.join(scratch, "stdout"), "wb") as stdout:
        outcome.began_at = time.monotonic()
        process = subprocess.Popen(
            command,
            env=env,
            cwd=outcome.folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=descriptor,
            start_new_session=True,
        )
    os.close(descriptor)
    outcome.stderr_path, outcome.to_close = path, others
    return process


def finish(outcome, process, scratch, seconds, wait_for=0.0):
    """Waits until the program ends, or ends it; then for those it left behind."""
    try:
        status = process.wait(seconds)
        outcome.status = 128 - status if status < 0 else status
    except subprocess.TimeoutExpired:
        outcome.status = None
    outcome.ended_at = time.monotonic()
    outcome.seconds = outcome.ended_at - outcome.began_at
    deadline = outcome.ended_at + (wait_for if outcome.status is not None else 0)
    while time.monotonic() < deadline and (is_group(process.pid) or using(outcome.tally.path)):
        time.sleep(0.1)
    # It may have a line to add, for which it asks the driver.
    deadline = time.monotonic() + (LONGEST_WATCH if outcome.status is not None else 0)
    while time.monotonic() < deadline and watcher_of(process.pid):
        time.sleep(0.05)
    left = end_all(outcome, process)
    outcome.left_running = left and outcome.status is not None
    process.wait()
    for descriptor in outcome.to_close:
        os.close(descriptor)
    with open(os.path.join(scratch, "stdout"), "rb") as file:
        outcome.stdout = file.read()
    if outcome.stderr_path:
        with open(outcome.stderr_path, "rb") as file:
            outcome.stderr = file.read()
    return outcome


def run_once(scenario, machine, scratch, profiled):
    outcome, process = start(scenario, machine, scratch, profiled)
    return finish(outcome, process, scratch, scenario.seconds, scenario.wait_for)


def stray_files(scenario, bare, profiled):
    """Files that only the profiled run has: neither traces nor what the scenario allows."""
    own = set(bare.files()) | profiled.before
    return [
        name
        for name in profiled.files()
        if name not in own
        and not name.endswith(".db")
        and not any(fnmatch.fnmatch(name, pattern) for pattern in scenario.may_leave)
    ]


def keep(scratch, folder, name):
    """Leaves a run's folder, tally and output for the reader."""
    target = os.path.join(folder, name.replace(" ", "_").replace("/", "_"))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(scratch, target, symlinks=True, ignore_dangling_symlinks=True)
