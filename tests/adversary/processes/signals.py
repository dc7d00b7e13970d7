# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Signals: handlers that annotate and launch, inherited dispositions, broken pipes."""
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
BOTH = "push x; mark m; pop; push y D; pop D; start s t; end s; work k 3; "


def storm(deed, block, count=2000, period=150, **more):
    """A handler that may ask for memory (all but push and mark) must not interrupt what does. NVTX's
    first call in a program waits for itself if a handler's call interrupts it, with or without a
    profiler: so it is made before."""
    what = "annotates and launches" if block else "annotates"
    interrupted = "{ " + block + "}" if block else ";"
    return Scenario(
        f"storm: {deed}",
        f"{count} timer signals whose handler does '{deed}' while the program {what}",
        f"push nvtx; pop; work first 20; storm {deed} {count} {period} {interrupted} sync; exit 7",
        free_running=True,
        seconds=30,
        may_lose="events of handlers",
        **more,
    )


SCENARIOS = [
    storm("none", BOTH),
    storm("push", BOTH, quick=True),
    storm("mark", BOTH),
    storm("start", ""),
    storm("register", ""),
    storm("domain", "", quick=True),
    storm("launch", "", quick=True),
    Scenario(
        "storm on threads",
        "4,000 signals annotate on six threads that annotate and launch",
        "push nvtx; pop; work first; threads 6 { storm push 4000 100 { "
        + BOTH.replace(" D", "").replace("start s t; end s; ", "")
        + "} } sync; exit 7",
        free_running=True,
        seconds=30,
        may_lose="events of handlers",
    ),
    Scenario(
        "first event in a handler",
        "200 threads, the first NVTX call of each in a signal handler",
        "work first; in_handler push 10; repeat 200 { thread { raise 10; work k } } sync; "
        "exit 7",
        seconds=30,
    ),
    Scenario(
        "handler before CUDA",
        "NVTX's very first call in a handler",
        "in_handler push 10; raise 10; work k 50; sync; exit 7",
    ),
    Scenario(
        "small signal stack",
        "handlers annotate on a stack of 8 KiB",
        "work first; tiny_threads 4 64 { storm push 500 200 { push x; mark m; pop } } sync; "
        "exit 7",
        free_running=True,
        seconds=30,
        may_lose="events of handlers",
    ),
    Scenario(
        "longjmp out of a handler",
        "1,000 handlers leave an NVTX call by siglongjmp",
        "work first 20; jump push 1000 200; work k 30; sync; exit 7",
        seconds=30,
        may_lose="events that a jump left half done",
        quick=True,
    ),
    Scenario(
        "exit in a handler's storm",
        "exit(7) while handlers annotate",
        "work first 20; detached { storm push 100000000 100 { push x; pop } }; sleep 300; "
        "leave 7",
        free_running=True,
        seconds=30,
        may_lose="events of handlers",
    ),
    Scenario(
        "SIGCHLD ignored, exit",
        "trap '' CHLD before prof-run; exit(7)",
        WORK + "exit 7",
        shell="trap '' CHLD; exec \"$@\"",
        quick=True,
    ),
    Scenario(
        "SIGCHLD ignored, crash",
        "trap '' CHLD before prof-run; SIGSEGV",
        WORK + "sleep 2500; crash",
        shell="trap '' CHLD; exec \"$@\"",
        cut=True,
    ),
    Scenario(
        "SIGCHLD ignored, inherited",
        "trap '' CHLD; the program finds it ignored, and its masks as they were",
        WORK + "signals signals.txt; exit 0",
        shell="trap '' CHLD; exec \"$@\"",
    ),
    Scenario(
        "dispositions and masks",
        "INT, PIPE and USR1 ignored by the shell: the same for the program",
        WORK + "signals signals.txt; exit 0",
        shell="trap '' INT PIPE USR1; exec \"$@\"",
    ),
    Scenario(
        "stderr a broken pipe",
        "nobody reads stderr any more; exit(7)",
        WORK + "exit 7",
        stderr="broken",
        quick=True,
    ),
    Scenario(
        "stderr broken, preloaded",
        "the same by LD_PRELOAD",
        WORK + "exit 7",
        stderr="broken",
        door="preload",
    ),
    Scenario(
        "stderr a full pipe",
        "a pipe that takes no byte more; exit(7)",
        WORK + "exit 7",
        stderr="full",
        seconds=20,
        quick=True,
    ),
    Scenario(
        "stdout a broken pipe",
        "| head -1: SIGPIPE ends the program",
        WORK + "sleep 2500; repeat 100000 { out line }; exit 7",
        shell='"$@" | head -1; exit ${PIPESTATUS[0]}',
        cut=True,
    ),
    Scenario(
        "signals are its own",
        "catches SIGCHLD, SIGALRM, SIGXFSZ, SIGPIPE, SIGPROF: none of ours comes",
        "catch 17; catch 14; catch 25; catch 13; catch 27; "
        + WORK
        + "sleep 1500; expect_signals 0; exit 7",
        quick=True,
    ),
]
