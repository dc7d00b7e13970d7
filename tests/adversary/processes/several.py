# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Several processes: launchers, forks, daemons, two that want one name."""
import os
import random
import threading
import time

from processes import runs
from processes.held import Held
from processes.judge import judge_closing_lines, status_text
from processes.scenario import Row, Scenario

WORK = "push a; work k 500; pop; sync; "
# The launcher starts CUDA and makes no GPU work, as torchrun does.
RANKS = (
    "getter 1; run \"'{app}' 'push r; work z 300; pop; sync' &"
    " '{app}' 'work y 200; sync' & wait\"; exit 7"
)


def wait_for_trace(outcome):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (outcome.traces() and outcome.tally.done > 100):
        time.sleep(0.02)


def run_pair(scenario, machine, scratch, wait_first):
    """Two prof-run --force on one name in one folder: both outcomes, in the first's folder."""
    first, process = runs.start(scenario, machine, os.path.join(scratch, "one"), profiled=True)
    if wait_first:
        wait_for_trace(first)
    else:
        time.sleep(random.uniform(0, 0.06))
    second = runs.Outcome(os.path.join(scratch, "two"))
    second.folder = first.folder
    other = runs.start_in(scenario, machine, second, os.path.join(scratch, "two"), profiled=True)
    thread = threading.Thread(
        target=runs.finish, args=(second, other, os.path.join(scratch, "two"), scenario.seconds)
    )
    thread.start()
    runs.finish(first, process, os.path.join(scratch, "one"), scenario.seconds)
    thread.join()
    return first, second


def same_name(scenario, machine, options):
    """What both launched is in traces of that folder, or the second was refused with a line."""
    row = Row(scenario.name, scenario.did, "7, 7", "", 0, 0, 0)
    statuses = set()
    wait_first = "while" in scenario.name
    for _ in range(2 if wait_first else max(3, min(20, int(options.seconds)))):
        with runs.scratch_folder() as scratch:
            for name in ("one", "two"):
                os.mkdir(os.path.join(scratch, name))
            both = run_pair(scenario, machine, scratch, wait_first)
            held = Held(both[0].traces())
            launched = sum(run.tally.done for run in both)
            told = sum(judge_closing_lines(run, held, row) for run in both)
            row.launched, row.in_file = row.launched + launched, row.in_file + held.kernels
            row.lost += max(held.lost, told)
            row.problems += held.problems
            missing = launched - held.kernels - max(held.lost, told)
            if missing > 0:
                lines = str([line for run in both for line in run.prof_lines])
                row.problems.append(
                    f"{missing} of {launched} kernels are missing and not counted,"
                    f" with {len(held.by_name)} traces and the lines "
                    + lines.replace(both[0].folder, "...")[:300]
                )
            for run in both:
                refused = run.status == 1 and run.tally.begun == 0 and len(run.prof_lines) == 1
                statuses.add("refused" if refused else status_text(run.status))
                if run.status != 7 and not refused:
                    row.problems.append(f"status {status_text(run.status)} instead of 7")
                if run.own_stderr:
                    row.problems.append(
                        f"stderr has a line that is not ours: " f"{run.own_stderr[0]!r}"
                    )
            if [name for name in both[0].files() if not name.endswith(".db")]:
                row.problems.append(f"left behind: {both[0].files()}")
    row.with_ = ", ".join(sorted(statuses))
    row.problems = sorted(set(row.problems))[:5]
    return row


SCENARIOS = [
    Scenario(
        "launcher without GPU work",
        "starts CUDA, makes no GPU work, starts two that do",
        RANKS,
        quick=True,
    ),
    Scenario(
        "launcher without GPU work, preloaded",
        "the same by LD_PRELOAD",
        RANKS,
        door="preload",
        other_name=True,
    ),
    Scenario(
        "CUDA but no GPU work",
        "the only process makes no GPU work",
        "getter 1; push a; pop; out done; exit 5",
        no_trace="prof.*no trace",
        quick=True,
    ),
    Scenario(
        "no CUDA at all",
        "a program without CUDA",
        "push a; pop; out done; exit 5",
        no_trace="prof.*no trace",
    ),
    Scenario(
        "fork storm",
        "240 children from eight threads annotate and _exit",
        "work first; threads 8 { repeat 30 { push r; work k 20; pop;"
        " fork_quick { push x; mark y; pop } } } sync; exit 7",
        quick=True,
    ),
    Scenario(
        "children launch",
        "40 children try to launch after the fork",
        "work first; repeat 40 { work k 20; fork_quick { push x; work c; pop } }" " sync; exit 7",
        machines=("standin",),
    ),
    Scenario(
        "children exit()",
        "40 children leave by exit()",
        "work first; repeat 40 { work k 20; fork { push x; mark y; pop } } sync; exit 7",
    ),
    Scenario(
        "children before CUDA",
        "eight forked children with work of their own",
        "repeat 8 { fork { push c; work c 50; sync; pop } } " + WORK + "exit 7",
    ),
    Scenario(
        "posix_spawn and vfork",
        "two children with work of their own",
        WORK + 'spawn "work s 30; sync; exit 2"; vfork "work v 40; sync; exit 3";' " exit 7",
        quick=True,
    ),
    Scenario(
        "helper ends last",
        "a child with work is left in the background",
        WORK + "run \"'{app}' 'work z 50; sleep 1500; work z 50; sync' &\"; exit 7",
        wait_for=10,
    ),
    Scenario(
        "daemon in $( )",
        "$(daemon 2>&1): the shell goes on at once",
        "daemonise; null_std; work d 40; sync; sleep 3000; work d 40; sync",
        shell='text=$("$@" 2>&1); echo "got: $(echo "$text" | grep -v ^prof)"; exit 7',
        slower_by=2.2,
        wait_for=10,
        quick=True,
        free_running=True,
    ),
    Scenario(
        "daemon in $( ), after its work",
        "it works, then closes 2 and stays",
        "daemonise; work d 40; sync; null_std; sleep 3000",
        shell='text=$("$@" 2>&1); echo "got: $(echo "$text" | grep -v ^prof)"; exit 7',
        slower_by=2.2,
        wait_for=10,
        free_running=True,
    ),
    Scenario(
        "forked child keeps nothing open",
        "$( ) around a program whose forked child stays 3 s with 0 to 2 closed",
        WORK + "fork_quick { null_std; daemonise; sleep 3000 } exit 7",
        shell='text=$("$@" 2>&1); exit $?',
        slower_by=2.2,
        wait_for=10,
    ),
    Scenario(
        "eight at once",
        "eight CUDA processes of one run",
        "run \"for i in 1 2 3 4 5 6 7 8; do '{app}' 'work z 100; sync' & done; wait\";" " exit 7",
    ),
    # Long enough to overlap on a slow machine: --force may replace a trace that is finished.
    Scenario(
        "one name, both with --force",
        "two prof-run --force at once on one name, again and again",
        "work k 300; sleep 500; work k 300; sync; exit 7",
        options=("--force",),
        run=same_name,
        quick=True,
    ),
    Scenario(
        "--force while another writes",
        "prof-run --force on the name of a run that is in its middle",
        "work k 300; sync; sleep 2500; work k 300; sync; exit 7",
        options=("--force",),
        run=same_name,
    ),
]
