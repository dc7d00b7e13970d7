# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The killer: SIGKILL at random times, again and again. The file opens, is whole, and lacks no more
than the last second."""
import contextlib
import os
import random
import signal
import time

from processes import runs
from processes.judge import judge
from processes.scenario import Row, Scenario


def kill_once(scenario, machine, delay, victim):
    """The row of one killed run. The bare run is killed too: that is its status."""
    with runs.scratch_folder() as scratch:
        outcome, process = runs.start(scenario, machine, scratch, profiled=True)
        time.sleep(delay)
        is_program = victim == "program"
        target = process.pid if is_program else runs.watcher_of(process.pid)
        outcome.ended_at = time.monotonic()
        was_alive = process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            if target is not None:
                os.kill(target, signal.SIGKILL)
        killed_at = time.monotonic()
        runs.finish(outcome, process, scratch, scenario.seconds)
        if is_program:
            outcome.ended_at = killed_at
        with runs.scratch_folder() as other:
            bare = runs.Outcome(other)
            os.mkdir(bare.folder)
            bare.status = 137 if is_program else 0
        return judge(scenario, bare, outcome) if target is not None and was_alive else None


def killer(longest, victim="program"):
    def run(scenario, machine, options):
        row = Row(scenario.name, scenario.did, "137" if victim == "program" else "0", "", 0, 0, 0)
        chance, until = random.Random(4711), time.monotonic() + options.seconds
        count, statuses = 0, set()
        while time.monotonic() < until:
            # A real driver takes its time to start.
            delay = chance.uniform(0, longest)
            delay += chance.choice((0, 0.5, 1.0)) if machine.kind == "gpu" else 0
            one = kill_once(scenario, machine, delay, victim)
            if one is None:
                continue
            count += 1
            statuses.add(one.with_)
            row.launched += one.launched or 0
            row.in_file += one.in_file or 0
            row.lost += one.lost or 0
            row.problems += [
                f"killed after {delay * 1000:.0f} ms: {problem}" for problem in one.problems
            ]
        row.with_ = ", ".join(sorted(statuses))
        row.did += f", {count} times"
        if count == 0:
            row.problems.append("not one run in that time: raise --seconds")
        broken = len(row.problems)
        row.problems = row.problems[:4] + ([f"{broken - 4} more"] if broken > 4 else [])
        return row

    return run


FOR_EVER = "push a; push b; work k 100000000 20"
BUSY = "threads 4 {{ repeat 100000000 {{ push r; work k 20 {pause}; pop }} }}"

SCENARIOS = [
    Scenario(
        "killed at creation",
        "SIGKILL within 200 ms",
        FOR_EVER,
        cut=True,
        run=killer(0.2),
        quick=True,
    ),
    Scenario(
        "killed at creation, preloaded",
        "SIGKILL within 200 ms, by LD_PRELOAD",
        FOR_EVER,
        cut=True,
        run=killer(0.2),
        door="preload",
        shell='exec "$@"',
    ),
    Scenario("killed at any time", "SIGKILL within 4 s", FOR_EVER, cut=True, run=killer(4.0)),
    Scenario(
        "killed at work",
        "SIGKILL within 4 s, four threads that launch all the time",
        BUSY.format(pause=50),
        cut=True,
        run=killer(4.0),
    ),
    # The writer lags behind four threads that do nothing else: what waits in its queue is gone.
    Scenario(
        "killed at its fastest",
        "SIGKILL within 4 s, four threads as fast as they can (held to 5 s, not 2)",
        BUSY.format(pause=0),
        cut=True,
        run=killer(4.0),
        last_seconds=5.0,
    ),
    Scenario(
        "the watcher is killed",
        "SIGKILL to what prof-run leaves behind: the program goes on",
        "push a; repeat 10 { work k 100; sync; sleep 100 } exit 0",
        free_running=True,
        run=killer(0.5, "watcher"),
    ),
]
