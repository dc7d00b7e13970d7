# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Descriptors that are closed, replaced or used up."""
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "

TAKEN = """run "ls /proc/$PPID/fd | grep -xE '[0-9]|[1-3][0-9]'"; """

SCENARIOS = [
    Scenario(
        "numbers of descriptors",
        "which of 0 to 39 are taken, before and after its work",
        TAKEN + WORK + "sleep 1500; " + WORK + TAKEN + "exit 7",
        machines=("standin",),
        quick=True,
    ),
    Scenario(
        "stdin closed", "0 closed at start", WORK + "out done; exit 7", shell='exec "$@" 0<&-'
    ),
    Scenario("stdout closed", "1 closed at start", WORK + "exit 7", shell='exec "$@" 1>&-'),
    Scenario(
        "stderr closed",
        "2 closed at start",
        WORK + "out done; exit 7",
        shell='exec "$@" 2>&-',
        quick=True,
    ),
    Scenario(
        "0, 1 and 2 closed",
        "all three closed at start",
        WORK + "exit 7",
        shell='exec "$@" 0<&- 1>&- 2>&-',
        quick=True,
    ),
    Scenario(
        "2 becomes data.bin",
        "closes 2 and opens a file, before CUDA",
        "foreign 2 data.bin; " + WORK + "say_to 2 more; exit 7",
        quick=True,
        may_leave=("stderr",),
    ),
    Scenario(
        "2 becomes data.bin, late",
        "the same after its work",
        WORK + "foreign 2 data.bin; exit 7",
        quick=True,
    ),
    Scenario(
        "closed 2 becomes data.bin",
        "2 closed at start, then a file gets the number",
        "foreign 2 data.bin; " + WORK + "exit 7",
        shell='exec "$@" 2>&-',
    ),
    Scenario(
        "closed 2 becomes data.bin, late",
        "the same after its work",
        WORK + "foreign 2 data.bin; exit 7",
        shell='exec "$@" 2>&-',
    ),
    Scenario(
        "2 becomes data.bin, preloaded",
        "by LD_PRELOAD; a second CUDA process has its line too",
        "foreign 2 data.bin; " + WORK + "exit 7",
        door="preload",
    ),
    Scenario(
        "line at start into data.bin",
        "2 becomes a file before CUDA, where a line at start is due",
        "foreign 2 data.bin; " + WORK + "exit 7",
        door="preload",
        env={"PROF_API": "nonsense", "PROF_QUEUE_MB": "none"},
    ),
    Scenario(
        "CUPTI's errors into data.bin",
        "2 becomes a file, then CUPTI fails",
        "foreign 2 data.bin; " + WORK + "exit 7",
        machines=("standin",),
        env={"STANDIN_CUPTI_FAIL": "fatal_midway"},
        may_lose="CUPTI failed",
        uncountable="cupti_error",
    ),
    Scenario(
        "all closed before CUDA", "closes 3 to 1023", "close_all; " + WORK + "out done; exit 7"
    ),
    Scenario(
        "all closed in the middle",
        "closes 3 to 1023 after its first work",
        WORK + "sleep 1500; close_all; " + WORK + "out done; exit 7",
        machines=("standin",),
        may_lose="the file was closed under the writer",
    ),
    Scenario(
        "all closed, then files",
        "closes 3 to 1023 and opens 20 files of its own",
        WORK + "sleep 1500; close_all; keep_files 20; " + WORK + "sleep 1500; out done; exit 7",
        machines=("standin",),
        quick=True,
        may_lose="the file was closed under the writer",
    ),
    Scenario(
        "dup2 over low numbers",
        "a file of its own over 3 to 40, after its first work",
        WORK + "sleep 1500; dup_low data.bin; " + WORK + "sleep 1500; out done; exit 7",
        machines=("standin",),
        may_lose="the file was replaced under the writer",
    ),
    Scenario(
        "dup2 before CUDA",
        "a file of its own over 3 to 40",
        "dup_low data.bin; " + WORK + "out done; exit 7",
    ),
    Scenario(
        "standard streams to /dev/null",
        "0, 1 and 2 become /dev/null, as daemons do",
        WORK + "null_std; exit 7",
    ),
    Scenario(
        "stdin is read",
        "the program reads its line",
        WORK + "wait_line; out got; exit 7",
        shell='echo line | "$@"',
    ),
]
