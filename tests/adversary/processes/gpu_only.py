# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the driver's and CUPTI's own behavior decides. The takeover is imitated by the
stand-in too."""
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
GPU = ("gpu",)
RUNS_ON = "kernels run longer than exit waits"

SCENARIOS = [
    Scenario(
        "CUPTI taken over",
        "the program registers CUPTI buffers of its own in the middle",
        "work k 500; sync; sleep 1500; takeover; work k 500; sync; out done; exit 7",
        may_lose="another profiler has the records",
        quick=True,
    ),
    Scenario(
        "CUPTI taken over at exit",
        "the same right before exit",
        WORK + "takeover; exit 7",
        may_lose="another profiler has the records",
    ),
    Scenario(
        "kernel running at exit, 1 s",
        "exit(7) while a kernel runs 1 s more",
        WORK + "spin 1000; exit 7",
        machines=GPU,
    ),
    Scenario(
        "kernel running at exit, 5 s",
        "exit(7) while a kernel runs 5 s more",
        WORK + "spin 5000; work k 50; exit 7",
        machines=GPU,
        may_lose=RUNS_ON,
    ),
    Scenario(
        "kernel running at _exit",
        "_exit(7) while a kernel runs 5 s more",
        WORK + "sleep 2500; spin 5000; _exit 7",
        machines=GPU,
        cut=True,
    ),
    Scenario(
        "kernel that never ends",
        "exit(7) while a kernel runs for ever",
        WORK + "spin 0; exit 7",
        machines=GPU,
        may_lose=RUNS_ON,
        bare_may_hang=True,
        seconds=30,
    ),
    Scenario(
        "kernel that never ends, killed",
        "SIGTERM while a kernel runs for ever",
        WORK + "sleep 2500; spin 0; kill 15",
        machines=GPU,
        cut=True,
        bare_may_hang=True,
        seconds=30,
    ),
    Scenario(
        "exit in a stream's callback",
        "cudaLaunchHostFunc calls exit(7)",
        WORK + "sleep 100; host_exit 7; sleep 5000",
        machines=GPU,
        bare_may_hang=True,
        seconds=30,
    ),
    Scenario(
        "stream callbacks",
        "2,000 launches with a callback after each",
        "push a; host_work 2000; pop; sync; exit 7",
        machines=GPU,
    ),
    Scenario(
        "device reset",
        "cudaDeviceReset after its work",
        WORK + "device_reset; exit 7",
        machines=GPU,
    ),
    Scenario(
        "device reset, no sync",
        "cudaDeviceReset right after its launches",
        "push a; work k 500; pop; device_reset; exit 7",
        machines=GPU,
    ),
    Scenario(
        "a million launches, cut",
        "_exit(3) in the middle of them",
        "work k 600000; _exit 3",
        machines=GPU,
        cut=True,
    ),
]
