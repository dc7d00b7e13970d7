# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Operating system calls: the odd programs of the other topics with every call of theirs recorded,
however short, and programs that are odd about such calls."""
from processes.scenario import Scenario

ALL = ("--trace", "osrt=0ns")
WORK = "push a; work k 500; pop; sync; "


def traced(name, did, script, **more):
    return Scenario(f"calls: {name}", did, script, options=more.pop("options", ALL), **more)


SCENARIOS = [
    traced("exit", "exit(7)", WORK + "exit 7", quick=True),
    traced(
        "from 1 us", "exit(7), calls of 1 us and more", WORK + "exit 7", options=("--trace", "osrt")
    ),
    traced(
        "contract",
        "errno, EINTR, modes, locks, short and long ways to open: as libc promises",
        WORK + "libc_contract; exit 7",
        quick=True,
    ),
    traced(
        "cancellation",
        "60 threads cancelled in read, poll, sleep, wait, join: each unwinds once",
        WORK + "cancel read 10; cancel poll 10; cancel sleep 10; cancel cond 10; cancel sem 10; "
        "cancel join 10; exit 7",
        quick=True,
    ),
    traced(
        "cancellation anywhere",
        "1,000 threads that may be cancelled at any instruction, in a loop of short writes",
        WORK + "cancel_anywhere 1000; exit 7",
        seconds=60,
        may_lose="calls beyond the rings' room",
    ),
    traced(
        "storm",
        "3,000 signals whose handler writes, over a loop that writes and reads",
        WORK + "call_storm 3000 100; exit 7",
        seconds=60,
        quick=True,
        may_lose="calls of handlers and those beyond the rings' room",
    ),
    traced(
        "jumps",
        "100 handlers that leave a blocked read or sleep by siglongjmp",
        WORK + "jump_from read 50; jump_from sleep 50; exit 7",
    ),
    traced(
        "exit while blocked",
        "exit(7) while threads wait for ever in read, cond, sem, join",
        WORK + "blocked read; blocked cond; blocked sem; blocked join; blocked poll; exit 7",
        quick=True,
        slower_by=3,
    ),
    traced(
        "exit while calling",
        "exit(7) while six threads call without a pause",
        "work first 20; sync; threads 6 { detached { repeat 100000000 { nap 1 0 } } } sleep 500; "
        "leave 7",
        may_lose="calls beyond the rings' room",
    ),
    traced(
        "fork storm",
        "300 children that sleep, read and write",
        WORK + "repeat 300 { fork_quick { libc_contract } } exit 7",
        seconds=120,
    ),
    traced(
        "forks on threads",
        "8 threads fork 20 children each while others call",
        WORK + "threads 8 { repeat 20 { nap 1 0; fork_quick { nap 1 1 } } } exit 7",
        seconds=60,
    ),
    traced(
        "vfork",
        "50 children of vfork open, write, close and wait, then execute the program",
        WORK + 'repeat 50 { vfork_calls "exit 3" } exit 7',
        seconds=60,
        quick=True,
    ),
    traced(
        "exec chain",
        "the program executes itself 5 times",
        'work k 5; sync; same_exec 5 "work k 5; nap 2 2; sync; exit 7"',
        cut=True,
        exec_chain=True,
        other_name=True,
    ),
    traced(
        "1,000 threads",
        "at once, each sleeps twice",
        WORK + "many_threads 1000 { nap 2 2 } exit 7",
        quick=True,
    ),
    traced(
        "8,000 threads",
        "at once, each sleeps twice",
        WORK + "many_threads 8000 { nap 2 500 } exit 7",
        seconds=120,
    ),
    traced(
        "threads of 16 KiB",
        "200 threads with stacks of 16 KiB sleep",
        WORK + "tiny_threads 200 16 { nap 2 2 } exit 7",
        machines=("standin",),
    ),
    traced("locks", "40 threads wait for one lock", WORK + "lock_fight 40; exit 7"),
    traced(
        "killed",
        "_exit(3) after 2.5 s of calls",
        WORK + "threads 2 { nap 50 50 } _exit 3",
        cut=True,
    ),
    traced(
        "small file limit",
        "RLIMIT_FSIZE 1 MB",
        WORK + "limit_file 1000000; threads 2 { repeat 2000 { nap 1 0 } } exit 7",
        may_lose="the file is full",
        uncountable="store_error",
        may_leave=("*-journal",),
    ),
    traced(
        "address sanitizer",
        "a program built with it",
        WORK + "libc_contract; wait_calls 2; exit 7",
        app="asan",
        machines=("standin",),
    ),
]
