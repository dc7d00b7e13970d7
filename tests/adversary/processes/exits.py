# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""How programs end: by themselves, from the wrong thread, too early, too late, or not at all."""
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
OLD_WORK = WORK + "sleep 2500; "
BUSY = "work first; " + 3 * "detached { work k 100000000 20 }; "

SCENARIOS = [
    Scenario("return", "main returns", WORK + "out done; err own", quick=True),
    Scenario("exit", "exit(7)", WORK + "out done; exit 7", quick=True),
    Scenario(
        "exit, preloaded", "exit(7), by LD_PRELOAD", WORK + "out done; exit 7", door="preload"
    ),
    Scenario(
        "exit, no sync",
        "exit(7) right after the last launch",
        "push a; work k 2000; exit 7",
        quick=True,
    ),
    Scenario("exit on a thread", "exit(9) on another thread", WORK + "thread { leave 9 }"),
    Scenario(
        "exit while others launch",
        "exit(4) on a thread, three others launch",
        BUSY + "sleep 300; thread { leave 4 }",
        free_running=True,
        quick=True,
        bare_may_crash=True,
        may_lose="launches go on after the capture's end",
    ),
    Scenario(
        "exit at once",
        "exit(4) 1 ms after three threads began to launch",
        BUSY + "sleep 1; leave 4",
        free_running=True,
        bare_may_crash=True,
        may_lose="launches go on after the capture's end",
    ),
    Scenario("quick_exit", "quick_exit(11)", WORK + "quick_exit 11", quick=True),
    Scenario(
        "quick_exit handler",
        "an at_quick_exit handler launches",
        WORK + "at_quick_exit { push q; work q 20; pop; sync }; quick_exit 2",
    ),
    Scenario(
        "exit handler",
        "an atexit handler launches",
        WORK + "at_exit { push last; work last 20; pop; sync }; exit 3",
        quick=True,
    ),
    Scenario(
        "exit handler, before CUDA",
        "an atexit handler from before CUDA launches",
        "at_exit { push last; work last 20; pop; sync }; " + WORK + "exit 3",
        may_lose="the capture has ended",
    ),
    Scenario(
        "static destructor",
        "a static object's destructor launches",
        WORK + "last_work static 20; exit 3",
        quick=True,
        may_lose="the capture has ended",
    ),
    Scenario(
        "library destructor",
        "a destructor function launches",
        WORK + "last_work library 20; exit 3",
        may_lose="the capture has ended",
    ),
    Scenario(
        "exit in a constructor",
        "works and calls exit(9) before main",
        "exit 1",
        env={"ODD_CONSTRUCTOR": "exit"},
        quick=True,
    ),
    Scenario(
        "work before main",
        "a constructor launches",
        WORK + "exit 6",
        env={"ODD_CONSTRUCTOR": "work"},
    ),
    Scenario(
        "pthread_exit",
        "main ends by pthread_exit, a thread goes on and exits",
        "work a 5; detached { sleep 200; push t; work k 300; pop; sync; leave 8 }; exit_main",
        quick=True,
    ),
    # CUDA has threads of its own, which keep such a process; the stand-in has none.
    Scenario(
        "last thread",
        "main ends by pthread_exit, the last thread returns",
        "work a 5; detached { sleep 200; work k 300; sync }; exit_main",
        machines=("gpu",),
        bare_may_hang=True,
        seconds=15,
        free_running=True,
        cut=True,
    ),
    Scenario(
        "unloaded library",
        "a library annotates 20 times and is unloaded, its range open",
        "work k 5; plugin {plugin} 20; work k 5; sync; exit 7",
        quick=True,
    ),
    Scenario(
        "library unloaded before CUDA",
        "the same before CUDA starts",
        "plugin {plugin} 20; work k 5; sync; exit 7",
    ),
    Scenario("_exit", "_exit(3) 2.5 s after its work", OLD_WORK + "_exit 3", cut=True, quick=True),
    Scenario("_exit at once", "_exit(3) right after its work", WORK + "_exit 3", cut=True),
    Scenario("abort", "abort()", OLD_WORK + "abort", cut=True),
    Scenario("crash", "SIGSEGV", OLD_WORK + "crash", cut=True),
    Scenario("SIGTERM", "SIGTERM, no handler", OLD_WORK + "kill 15", cut=True),
    Scenario("SIGKILL of itself", "kill(getpid(), SIGKILL)", OLD_WORK + "kill 9", cut=True),
    Scenario(
        "_exit while others launch",
        "_exit(4), three threads launch",
        BUSY + "sleep 3000; _exit 4",
        cut=True,
        free_running=True,
    ),
    Scenario(
        "exec",
        "exec of itself twice, 2.5 s apart",
        'work k 50; sync; sleep 2500; exec "work k 60; sync; sleep 2500;' ' work l 3; exit 3"',
        cut=True,
    ),
    Scenario(
        "exec storm",
        "exec of itself 20 times at once",
        'same_exec 20 "work k 7; sync; exit 3"',
        cut=True,
        exec_chain=True,
        other_name=True,
    ),
    Scenario(
        "kernels still running",
        "exit(7), kernels run 5 s more",
        "push a; work k 100; sleep 1200; work k 20; exit 7",
        machines=("standin",),
        env={"STANDIN_KERNEL_NS": "400000000"},
        may_lose="they run longer than exit waits",
    ),
]
