# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Environments that are cleared, users that change, roots without /proc, other runtimes."""
import os

from processes.limits import AS_USER, for_user
from processes.machine import needs_other_user, needs_root
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
SAID = "prof.*(no trace|nothing is captured)"


def jail(folder):
    os.mkdir(os.path.join(folder, "empty"))


def has_asan(machine):
    there = os.path.exists(machine.programs["asan"])
    return "" if there else "there is no program built with the address sanitizer"


SCENARIOS = [
    Scenario(
        "env -i",
        "prof-run env -i program",
        WORK + "out done; exit 7",
        inner=("env", "-i", "APP_TALLY={tally}", "LD_LIBRARY_PATH={path}"),
        no_trace=SAID,
        quick=True,
    ),
    Scenario(
        "clearenv before CUDA",
        "clearenv(), then CUDA starts",
        "clear_env; " + WORK + "out done; exit 7",
        no_trace=SAID,
        trace_optional=True,
        quick=True,
    ),
    Scenario(
        "clearenv after its start",
        "clearenv() in the middle",
        WORK + "clear_env; " + WORK + "out done; exit 7",
    ),
    Scenario(
        "clearenv, then a child",
        "a child without the environment works too",
        WORK + 'clear_env; spawn "exit 3"; exit 7',
    ),
    Scenario(
        "becomes another user",
        "setresuid after its first work",
        WORK + "become 54321; push b; work l 20000; pop; sync; sleep 1500; out done; exit 7",
        needs=needs_root,
        may_lose="the new user may not write there",
        may_leave=("trace.db-journal",),
        quick=True,
    ),
    Scenario(
        "becomes another user first",
        "setresuid before CUDA; the folder is root's",
        "become 54321; " + WORK + "out done; exit 7",
        needs=needs_root,
        no_trace="prof: .*([Pp]ermission|writable|written|open)",
    ),
    Scenario(
        "started by another user",
        "the whole run as a user without a home",
        WORK + "out done; exit 7",
        shell=AS_USER + '"$@"',
        setup=for_user,
        needs=needs_other_user,
    ),
    Scenario(
        "chroot",
        "chroot to an empty folder after its first work: no /proc, no /tmp",
        WORK + "sleep 1500; jail empty; " + WORK + "sleep 1500; out done; exit 7",
        setup=jail,
        needs=needs_root,
        may_lose="the journal's folder is out of reach",
        may_leave=("trace.db-journal",),
        quick=True,
    ),
    Scenario(
        "no /proc, no /tmp",
        "a mount namespace without them",
        WORK + "out done; exit 7",
        shell="exec unshare -rm bash -c 'mount -t tmpfs none /proc && exec \"$@\"' bash " '"$@"',
        needs=needs_root,
        machines=("standin",),
        may_refuse=True,
    ),
    Scenario(
        "HOME and TMPDIR gone",
        "both name what is not there",
        WORK + "out done; exit 7",
        env={"HOME": "/no/home", "TMPDIR": "/no/tmp"},
    ),
    Scenario(
        "LD_PRELOAD in use",
        "another library is preloaded",
        WORK + "out done; exit 7",
        shell='LD_PRELOAD={libc} exec "$@"'.format(libc="libm.so.6"),
    ),
    Scenario(
        "address sanitizer",
        "a program built with -fsanitize=address",
        WORK + "out done; exit 7",
        app="asan",
        needs=has_asan,
        machines=("standin",),
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        may_refuse=True,
        no_trace=SAID,
        trace_optional=True,
        quick=True,
    ),
    Scenario(
        "address sanitizer, its runtime first",
        "the same with libasan preloaded by the user",
        WORK + "out done; exit 7",
        app="asan",
        needs=has_asan,
        machines=("standin",),
        env={"ASAN_OPTIONS": "detect_leaks=0"},
        door="preload",
        inner=(
            "bash",
            "-c",
            'LD_PRELOAD=$(gcc -print-file-name=libasan.so):$LD_PRELOAD exec "$@"',
            "bash",
        ),
    ),
    Scenario(
        "deep folder",
        "a working folder whose path has 3,000 characters",
        WORK + "out done; exit 7",
        shell='for i in $(seq 15); do d=$(printf "%0200d" 0); mkdir $d; cd $d; done; exec ' '"$@"',
        relative=True,
        may_refuse=True,
        no_trace="prof: ",
    ),
    Scenario(
        "working folder gone",
        "rmdir of the working folder before CUDA",
        'run "rmdir ../gone"; ' + WORK + "out done; exit 7",
        shell='mkdir gone; cd gone; exec "$@"',
    ),
]
