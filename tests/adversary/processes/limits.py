# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Resource limits, at start and while the program runs."""
import os

from processes.machine import needs_other_user
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
MORE = "work k 20000; sync; sleep 1500; "
USER = 54321
AS_USER = f"exec setpriv --reuid {USER} --regid {USER} --clear-groups "


def for_user(folder):
    os.chown(folder, USER, USER)


def as_user(name, did, script, limit, **more):
    return Scenario(
        name,
        did,
        script,
        shell=f'{limit}; {AS_USER}"$@"',
        setup=for_user,
        needs=needs_other_user,
        **more,
    )


FULL = "the file may not grow"
LATE = "the file could not be written"

SCENARIOS = [
    Scenario(
        "ulimit -f 40",
        "files up to 20 or 40 KiB, at start; exit(7)",
        WORK + "exit 7",
        shell='ulimit -f 40; exec "$@"',
        quick=True,
        may_lose=FULL,
        no_trace="prof: .*(large|size|limit|written|full)",
        trace_optional=True,
    ),
    Scenario(
        "ulimit -f 40, more work",
        "the same, 20,000 kernels",
        WORK + MORE + "exit 7",
        shell='ulimit -f 40; exec "$@"',
        may_lose=FULL,
        no_trace="prof: .*(large|size|limit|written|full)",
        trace_optional=True,
    ),
    Scenario(
        "ulimit -f 0, stderr a pipe",
        "no byte may be written to a file",
        WORK + "exit 7",
        shell='(ulimit -f 0; "$@") 2>&1 >/dev/null | cat >&2; exit ${PIPESTATUS[0]}',
        no_trace="prof: .*(large|size|limit|written|full)",
        trace_optional=True,
        may_lose=FULL,
    ),
    Scenario(
        "RLIMIT_FSIZE in the middle",
        "setrlimit to 100,000 bytes after its first work; exit(7)",
        WORK + "sleep 1500; limit fsize 100000; " + MORE + "exit 7",
        may_lose=FULL,
        quick=True,
    ),
    Scenario(
        "RLIMIT_FSIZE before CUDA",
        "setrlimit to 0 bytes before CUDA",
        "limit fsize 0; " + WORK + "exit 7",
        shell='"$@" 2>&1 >/dev/null | cat >&2; exit ${PIPESTATUS[0]}',
        no_trace="prof: .*(large|size|limit|written|full)",
        trace_optional=True,
        may_lose=FULL,
    ),
    Scenario(
        "RLIMIT_FSIZE at exit",
        "setrlimit to 4,096 bytes right before exit(7)",
        WORK + "limit fsize 4096; exit 7",
        may_lose=FULL,
        quick=True,
    ),
    Scenario(
        "SIGXFSZ ignored",
        "the program ignores it",
        WORK + "limit_file 100000 ignore; " + MORE + "exit 7",
        may_lose=FULL,
    ),
    Scenario(
        "SIGXFSZ caught",
        "the program counts it: none is ours",
        "catch 25; " + WORK + "limit fsize 100000; " + MORE + "expect_signals 0; exit 7",
        may_lose=FULL,
    ),
    Scenario(
        "RLIMIT_NOFILE 24",
        "24 descriptors, the program keeps 12 open",
        WORK + "keep_files 12; out done; exit 7",
        shell='ulimit -n 24; exec "$@"',
        machines=("standin",),
    ),
    Scenario(
        "RLIMIT_NOFILE 12",
        "12 descriptors, the program needs six",
        "keep_files 6; " + WORK + "out done; exit 7",
        shell='ulimit -n 12; exec "$@"',
        machines=("standin",),
        may_lose=LATE,
        no_trace="prof: ",
        trace_optional=True,
    ),
    Scenario(
        "RLIMIT_NOFILE 3 in the middle",
        "setrlimit after its first work",
        WORK + "limit nofile 3; " + MORE + "exit 7",
        may_lose=LATE,
        machines=("standin",),
    ),
    Scenario(
        "all descriptors used",
        "the program opens files until 64 are open",
        "keep_files 55; " + WORK + MORE + "out done; exit 7",
        shell='ulimit -n 64; exec "$@"',
        machines=("standin",),
        may_lose=LATE,
        no_trace="prof: ",
        trace_optional=True,
    ),
    as_user(
        "RLIMIT_NPROC 1",
        "no further thread may be made",
        WORK + "out done; exit 7",
        "ulimit -u 1",
        door="preload",
        no_trace="prof: .*(thread|resource)",
        machines=("standin",),
    ),
    as_user(
        "prof-run cannot fork",
        "RLIMIT_NPROC 1 under prof-run",
        WORK + "exit 7",
        "ulimit -u 1",
        machines=("standin",),
        may_refuse=True,
        no_trace=".",
    ),
    Scenario(
        "RLIMIT_AS 600 MB",
        "600 MB of addresses",
        "threads 4 { " + WORK + "} out done; exit 7",
        shell='ulimit -v 600000; exec "$@"',
        machines=("standin",),
        may_lose="no memory",
        no_trace="prof: ",
        trace_optional=True,
    ),
    Scenario(
        "RLIMIT_AS 60 MB",
        "60 MB of addresses, 20,000 kernels",
        WORK + MORE + "out done; exit 7",
        shell='ulimit -v 60000; exec "$@"',
        machines=("standin",),
        may_lose="no memory",
        no_trace="prof: ",
        trace_optional=True,
        quick=True,
    ),
    Scenario(
        "RLIMIT_AS 25 MB",
        "barely enough for the program",
        WORK + "out done; exit 7",
        shell='ulimit -v 25000; exec "$@"',
        machines=("standin",),
        may_lose="no memory",
        no_trace="prof",
        trace_optional=True,
        may_refuse=True,
    ),
    Scenario(
        "RLIMIT_AS 2 GB, 300 threads",
        "2 GB of addresses, 300 threads at once annotate and" " launch",
        "work first; many_threads 300 { push t; work k 3; pop; sleep 300 } sync;" " exit 7",
        shell='ulimit -v 2000000; exec "$@"',
        machines=("standin",),
        quick=True,
    ),
    Scenario(
        "RLIMIT_AS in the middle",
        "setrlimit to 1 MB after its first work",
        WORK + "sleep 1500; limit as 1000000; " + MORE + "out done; exit 7",
        machines=("standin",),
        may_lose="no memory",
    ),
    Scenario(
        "RLIMIT_STACK",
        "stacks of 128 KiB",
        WORK + "threads 8 { push t; work t 20; pop } out done; exit 7",
        shell='ulimit -s 128; exec "$@"',
        machines=("standin",),
    ),
    Scenario(
        "RLIMIT_CORE",
        "core files of any size; SIGSEGV",
        WORK + "sleep 2500; crash",
        shell='ulimit -c unlimited; exec "$@"',
        cut=True,
        may_leave=("core*",),
    ),
]
