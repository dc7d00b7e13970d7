# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds a profiled run against the bare one and against its trace: each broken promise is one phrase."""
import os
import re
import sqlite3
import subprocess

import harness
import trace_db
from processes.runs import stray_files
from processes.scenario import Row

# "At most the last second": commits come about every second, on a machine that may be busy.
LAST_SECONDS = 2.0
WROTE = re.compile(r"^prof: wrote (.*?): ([0-9]+) kernels?, .*?([0-9]+) lost")


class Held:
    """What a run's traces hold together."""

    def __init__(self, paths):
        self.kernels, self.lost, self.problems, self.by_path, self.losses = 0, 0, [], {}, {}
        self.unended = []
        for path in paths:
            self._add(path)

    def _add(self, path):
        name = os.path.basename(path)
        said = subprocess.run([harness.PROF_REPORT, "-r", "layers", path], capture_output=True, text=True, timeout=120,
                              errors="replace")
        if said.returncode != 0:
            self.problems.append(f"prof-report cannot open {name}: {(said.stderr.strip() or 'no line').splitlines()[-1]}")
        try:
            trace = trace_db.Trace(path, recover=True)
            integrity = trace.one("PRAGMA integrity_check")
            if integrity != "ok":
                self.problems.append(f"{name} is damaged: {integrity.splitlines()[0]}")
            kernels, losses, ended = trace.kernel_count(), trace.losses(), "ended" in trace.meta()
            trace.db.close()
        except (sqlite3.Error, IndexError) as error:
            self.problems.append(f"{name} is no trace: {error}")
            return
        missing = {word: count for word, count in losses.items() if word not in harness.NOTICES}
        if not ended:
            self.unended.append(name)
            if said.returncode == 0 and not re.search("killed|did not end|ended without", (said.stdout + said.stderr).lower()):
                self.problems.append(f"prof-report does not say that {name} did not end")
            missing.pop("killed", None)
        self.kernels += kernels
        self.by_path[os.path.realpath(path)] = kernels
        for word, count in missing.items():
            self.losses[word] = self.losses.get(word, 0) + count
        self.lost = sum(self.losses.values())
        if kernels == 0 and not losses:
            self.problems.append(f"{name} is an empty trace: no GPU work and no loss")


def status_text(status):
    return "hung" if status is None else str(status)


def judge_program(scenario, bare, profiled, row):
    """The program ran as it would without."""
    row.without, row.with_ = status_text(bare.status), status_text(profiled.status)
    if bare.status is None:
        row.problems.append(f"the bare program did not end within {scenario.seconds:.0f} s: the scenario is wrong")
    if bare.status in (64, *range(69, 90)) and scenario.status_with is None:
        row.problems.append(f"the bare program could not do what the scenario wants (status {bare.status}):"
                            f" {bare.stderr[-200:].decode('utf-8', 'replace').strip()}")
    wanted = bare.status if scenario.status_with is None else scenario.status_with
    if profiled.status is None:
        row.problems.append(f"hung: not over after {scenario.seconds:.0f} s (bare: {bare.seconds:.1f} s)")
    elif profiled.status != wanted:
        row.problems.append(f"status {profiled.status} instead of {wanted}")
    if scenario.slower_by is not None and profiled.seconds > bare.seconds + scenario.slower_by:
        row.problems.append(f"took {profiled.seconds:.1f} s, bare {bare.seconds:.1f} s")
    if scenario.status_with is None and profiled.stdout != bare.stdout:
        row.problems.append(f"stdout differs: {profiled.stdout[-120:]!r} instead of {bare.stdout[-120:]!r}")
    if scenario.status_with is None and profiled.own_stderr != bare.own_stderr:
        extra = [line for line in profiled.own_stderr if line not in bare.own_stderr]
        gone = [line for line in bare.own_stderr if line not in profiled.own_stderr]
        row.problems.append(f"stderr has {len(extra)} lines that are not the program's ({extra[:1]}), {len(gone)} are gone")
    if profiled.left_running and not bare.left_running:
        row.problems.append("a process was left running")


def judge_files(scenario, bare, profiled, row):
    """Nothing is left behind, and the program's own files are as they would be."""
    stray = stray_files(scenario, bare, profiled)
    if scenario.cut or profiled.status is None:
        stray = [name for name in stray if not name.endswith("-journal")]
    if stray:
        row.problems.append(f"left behind: {', '.join(stray[:3])}" + (f" and {len(stray) - 3} more" if len(stray) > 3 else ""))
    if scenario.status_with is not None:
        return
    for name in bare.files():
        mine, theirs = (os.path.join(run.folder, name) for run in (bare, profiled))
        if not os.path.lexists(theirs):
            row.problems.append(f"the program's file {name} is gone")
        elif os.path.isfile(mine) and os.path.isfile(theirs):
            with open(mine, "rb") as first, open(theirs, "rb") as second:
                if first.read() != second.read():
                    row.problems.append(f"the program's file {name} has other bytes")


def counted_by_lines(profiled):
    """What the closing lines say was lost, where no file could keep it."""
    found = [WROTE.search(line) for line in profiled.prof_lines]
    told = [int(number) for line in profiled.prof_lines for number in re.findall(r"([0-9]+) lost", line)]
    return [match for match in found if match], sum(told)


def judge_trace(scenario, profiled, row):
    """Nothing is lost silently."""
    held = Held([path for path in profiled.traces()
                 if os.path.relpath(path, profiled.folder) not in profiled.before])
    wrote, told = counted_by_lines(profiled)
    row.launched, row.in_file = profiled.tally.done, held.kernels
    row.lost = max(held.lost, told)
    row.problems += held.problems
    for match in wrote:
        real = held.by_path.get(os.path.realpath(match.group(1)))
        if real is None:
            row.problems.append(f"says it wrote {match.group(2)} kernels to {os.path.basename(match.group(1))}: no such trace")
        elif real != int(match.group(2)):
            row.problems.append(f"says {match.group(2)} kernels, {os.path.basename(match.group(1))} has {real}")
    if row.in_file > profiled.tally.begun:
        row.problems.append(f"the file has {row.in_file - profiled.tally.begun} kernels that nobody launched")
    missing = row.launched - row.in_file
    if scenario.no_trace:
        judge_no_trace(scenario, profiled, held, row)
    elif scenario.cut:
        if not held.by_path and profiled.tally.since(LAST_SECONDS, profiled.ended_at) < row.launched:
            row.problems.append("no trace")
        silent = missing - row.lost - profiled.tally.since(LAST_SECONDS, profiled.ended_at)
        if silent > 0:
            row.problems.append(f"{silent} kernels older than the last second are missing and not counted")
        elif missing > row.lost:
            row.notes.append(f"{missing - row.lost} of the last second missing")
        if held.by_path and not held.unended:
            row.problems.append("the trace does not say that it did not end")
    else:
        judge_whole(scenario, held, missing, row)


def judge_no_trace(scenario, profiled, held, row):
    if held.by_path:
        row.problems.append("a trace where there can be none")
    elif profiled.stderr_path and not any(re.search(scenario.no_trace, line) for line in profiled.prof_lines):
        row.problems.append(f"no line says /{scenario.no_trace}/: {profiled.prof_lines or 'nothing is said'}")
    row.notes.append("no trace; said in a line" if profiled.stderr_path else "no trace")


def judge_whole(scenario, held, missing, row):
    losses = ", ".join(f"{word} {count}" for word, count in sorted(held.losses.items()))
    if missing > row.lost:
        row.problems.append(f"{missing - row.lost} of {row.launched} kernels are missing and not counted"
                            + ("" if held.by_path else " (no trace)"))
    elif missing and not scenario.may_lose:
        row.problems.append(f"{missing} kernels are missing (counted: {losses or row.lost})")
    elif row.lost and not scenario.may_lose:
        row.problems.append(f"losses where nothing need be lost: {losses or row.lost}")
    elif row.lost or missing:
        row.notes.append(f"{scenario.may_lose} ({losses or 'told in the closing line'})")
    if held.unended:
        row.problems.append(f"{', '.join(held.unended)} says that it did not end, though the program did")


def judge(scenario, bare, profiled):
    row = Row(scenario.name, scenario.did)
    judge_program(scenario, bare, profiled, row)
    judge_files(scenario, bare, profiled, row)
    judge_trace(scenario, profiled, row)
    if not scenario.free_running and not scenario.cut and scenario.status_with is None \
            and bare.tally.done != profiled.tally.done:
        row.problems.append(f"the program made {profiled.tally.done} launches, bare {bare.tally.done}")
    return row
