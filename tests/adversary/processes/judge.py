# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds a profiled run against the bare one and against its traces: each broken promise is
one phrase."""
import fnmatch
import os
import re

import harness
from processes.held import Held
from processes.runs import stray_files
from processes.scenario import Row

WROTE = re.compile(r"^prof: wrote (.*?): ([0-9,]+) kernels?, ")
# Statuses by which script_app says that it could not do what the script wants.
SCRIPT_FAILED = (64, *range(67, 90))


def status_text(status):
    return "hung" if status is None else str(status)


def judge_bare(scenario, bare, row):
    """The scenario is what it says: without the profiler the program does it and ends."""
    if bare.status is None and not scenario.bare_may_hang:
        row.problems.append(
            f"the scenario is wrong: the bare program is not over after "
            f"{scenario.seconds:.0f} s"
        )
    elif bare.status in SCRIPT_FAILED:
        said = bare.stderr[-200:].decode("utf-8", "replace").strip()
        row.problems.append(
            f"the scenario is wrong: the bare program could not do its script "
            f"(status {bare.status}: {said})"
        )


def is_refused(scenario, profiled):
    """prof-run did not run the program, and said why in one line."""
    if not (scenario.refused or scenario.may_refuse):
        return False
    one_line = len(profiled.prof_lines) == 1 and not profiled.own_stderr and not profiled.stdout
    return profiled.status in (1, 126) and profiled.tally.begun == 0 and one_line


def judge_program(scenario, bare, profiled, row):
    """The program ran as it would without."""
    if profiled.status is None and not (scenario.bare_may_hang and bare.status is None):
        row.problems.append(
            f"hung: not over after {scenario.seconds:.0f} s (bare: " f"{bare.seconds:.1f} s)"
        )
    elif scenario.bare_may_crash and max(bare.status or 0, profiled.status or 0) > 128:
        row.notes.append("the program may die of a race of its own")
    elif profiled.status != bare.status:
        row.problems.append(
            f"status {status_text(profiled.status)} instead of " f"{status_text(bare.status)}"
        )
    if scenario.slower_by is not None and profiled.seconds > bare.seconds + scenario.slower_by:
        row.problems.append(f"took {profiled.seconds:.1f} s, bare {bare.seconds:.1f} s")
    if profiled.stdout != bare.stdout:
        row.problems.append(
            f"stdout differs: {profiled.stdout[-120:]!r} instead of " f"{bare.stdout[-120:]!r}"
        )
    if profiled.own_stderr != bare.own_stderr:
        extra = [
            line.decode("utf-8", "replace")
            for line in profiled.own_stderr
            if line not in bare.own_stderr
        ]
        gone = [line for line in bare.own_stderr if line not in profiled.own_stderr]
        row.problems.append(
            f"stderr has {len(extra)} lines that are neither the program's nor ours"
            f" ({extra[0][:160] if extra else ''}), and {len(gone)} are gone"
        )
    if profiled.left_running and not bare.left_running:
        row.problems.append("a process was left running")
    ours = [line for line in profiled.prof_lines if line.count("prof:") > 1]
    if ours:
        row.problems.append(f"a line is torn: {ours[0]}")


def judge_files(scenario, bare, profiled, row):
    """Nothing is left behind, and the program's own files are as they would be."""
    stray = stray_files(scenario, bare, profiled)
    # A file that cannot be rolled back any more needs its journal: the reader does it.
    incomplete = any("is incomplete" in line for line in profiled.prof_lines)
    if scenario.cut or profiled.status is None or incomplete:
        stray = [name for name in stray if not name.endswith("-journal")]
    if stray:
        row.problems.append(
            f"left behind: {', '.join(stray[:3])}"
            + (f" and {len(stray) - 3} more" if len(stray) > 3 else "")
        )
    for name in bare.files():
        if any(fnmatch.fnmatch(name, pattern) for pattern in scenario.may_leave):
            continue
        theirs, mine = (os.path.join(run.folder, name) for run in (bare, profiled))
        if not os.path.lexists(mine):
            row.problems.append(f"the program's file {name} is gone")
        elif os.path.isfile(mine) and name not in profiled.before:
            with open(theirs, "rb") as first, open(mine, "rb") as second:
                if first.read() != second.read():
                    row.problems.append(f"the program's file {name} has other bytes")


def judge_kept(bare, profiled, row):
    """Where the program was not run, all that lay there lies there as it was."""
    for name in profiled.before:
        theirs, mine = (os.path.join(run.folder, name) for run in (bare, profiled))
        if not os.path.lexists(mine):
            row.problems.append(f"{name} is gone")
        elif os.path.isfile(mine) and os.path.isfile(theirs):
            with open(theirs, "rb") as first, open(mine, "rb") as second:
                if first.read() != second.read():
                    row.problems.append(f"{name} was replaced")


def judge_closing_lines(profiled, held, row):
    """Each closing line says what its file holds. What they say was lost is returned."""
    for line in profiled.prof_lines:
        match = WROTE.match(line)
        if not match:
            continue
        name, said = os.path.basename(match.group(1)), int(match.group(2).replace(",", ""))
        if "the file was moved" in line:
            name = next((other for other in held.by_name if held.by_name[other] == said), name)
        if name not in held.by_name:
            row.problems.append(f"says it wrote {said} kernels to {name}: there is no such trace")
        elif held.by_name[name] != said:
            row.problems.append(f"says {said} kernels, {name} has {held.by_name[name]}")
    return sum(
        int(number)
        for line in profiled.prof_lines
        for number in re.findall(r"\b([0-9]+) (?:records? )?lost", line)
    )


def judge_cut(scenario, profiled, held, missing, row):
    recent = profiled.tally.since(scenario.last_seconds, profiled.ended_at)
    silent = 0 if scenario.exec_chain else missing - row.lost - recent
    if silent > 0:
        row.problems.append(
            f"{silent} kernels older than the last second are missing and not "
            f"counted" + ("" if held.by_name else " (no trace)")
        )
    elif missing > row.lost:
        row.notes.append(f"{missing - row.lost} of the last second missing")
    if held.by_name and not held.unended and not scenario.exec_chain:
        row.problems.append("the trace does not say that it did not end")


def judge_no_trace(scenario, profiled, row):
    if not profiled.stderr_path:
        row.notes.append("no trace")
    elif any(re.search(scenario.no_trace, line) for line in profiled.prof_lines):
        row.notes.append("no trace, and a line says why")
    else:
        row.problems.append(
            f"no trace, and no line says /{scenario.no_trace}/ but"
            f" {profiled.prof_lines or 'nothing'}"
        )


def judge_whole(scenario, held, missing, row):
    losses = ", ".join(f"{word} {count}" for word, count in sorted(held.losses.items()))
    losses = losses or f"{row.lost} reported"
    if scenario.uncountable in held.losses:
        row.notes.append(f"{scenario.may_lose}, which ends the capture ({losses})")
    elif missing > row.lost:
        row.problems.append(
            f"{missing - row.lost} of {row.launched} kernels are missing and not "
            f"counted" + ("" if held.by_name else " (no trace)")
        )
    elif (missing > 0 or row.lost) and not scenario.may_lose:
        row.problems.append(
            f"{max(missing, 0)} kernels are missing where nothing need be " f"(counted: {losses})"
        )
    elif missing > 0 or row.lost:
        row.notes.append(f"{scenario.may_lose} ({losses})")
    if held.unended and not scenario.may_lose:
        row.problems.append(
            f"{', '.join(held.unended)} says that it did not end, though the " f"program did"
        )


def new_traces(scenario, bare, profiled):
    """Traces that are neither an earlier run's nor files of the program that bear such a name."""
    replaced = {scenario.output} if "--force" in scenario.options else set()
    others = (set(bare.files()) | profiled.before) - replaced
    return [
        path for path in profiled.traces() if os.path.relpath(path, profiled.folder) not in others
    ]


def judge_traces(scenario, bare, profiled, row):
    """Nothing is lost silently."""
    held = Held(new_traces(scenario, bare, profiled))
    if scenario.damaged:
        held.problems.clear()
    told = judge_closing_lines(profiled, held, row)
    row.launched, row.in_file = profiled.tally.expected, held.kernels
    row.lost = max(held.lost, told)
    row.problems += held.problems
    if row.in_file > profiled.tally.begun:
        row.problems.append(
            f"the file has {row.in_file - profiled.tally.begun} kernels that " f"nobody launched"
        )
    asked = os.path.basename(scenario.output)
    name_matters = "%" not in scenario.output and not scenario.other_name
    if held.by_name and name_matters and asked not in held.by_name:
        row.problems.append(
            f"the trace is {', '.join(sorted(held.by_name)[:3])}, not {asked} as " f"was asked for"
        )
    missing = row.launched - row.in_file
    said_nothing = any("nothing is captured" in line for line in profiled.prof_lines)
    if said_nothing and held.by_name and not held.kernels:
        row.problems.append(
            f"a line says that nothing is captured, yet "
            f"{', '.join(held.by_name)} is left behind, empty"
        )
    elif scenario.no_trace and not held.by_name:
        judge_no_trace(scenario, profiled, row)
    elif scenario.no_trace and not scenario.trace_optional:
        row.problems.append(f"a trace where there can be none: {', '.join(held.by_name)}")
    elif scenario.cut:
        judge_cut(scenario, profiled, held, missing, row)
    else:
        judge_whole(scenario, held, missing, row)


def judge(scenario, bare, profiled):
    row = judge_row(scenario, bare, profiled)
    for phrases in (row.problems, row.notes):
        for i, phrase in enumerate(phrases):
            phrases[i] = phrase.replace(profiled.folder, "...").replace(harness.BUILD, "build")
    return row


def judge_row(scenario, bare, profiled):
    row = Row(scenario.name, scenario.did, status_text(bare.status), status_text(profiled.status))
    judge_bare(scenario, bare, row)
    if is_refused(scenario, profiled):
        row.launched = row.in_file = row.lost = 0
        row.notes.append("not run: " + profiled.prof_lines[0].removeprefix("prof-run: "))
        judge_kept(bare, profiled, row)
        return row
    if scenario.refused:
        row.problems.append(f"prof-run ran it or said no one line: {profiled.prof_lines}")
    judge_program(scenario, bare, profiled, row)
    judge_files(scenario, bare, profiled, row)
    judge_traces(scenario, bare, profiled, row)
    if not scenario.free_running and not scenario.cut and bare.tally.done != profiled.tally.done:
        row.problems.append(
            f"the program made {profiled.tally.done} launches, bare " f"{bare.tally.done}"
        )
    return row
