# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The trace's place: full, gone, taken, not writable; at start, in the middle, at exit."""
import os

from processes.limits import AS_USER, for_user
from processes.machine import needs_mount, needs_other_user
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "
MORE = "push b; work l 40000; pop; sync; sleep 1500; "
# The mount is gone with its namespace: what it held is copied out to saved/.
DISK = (
    "exec unshare -rm bash -c 'mount -t tmpfs -o size={size} none disk &&"
    ' {before} {{ "$@"; status=$?; }};'
    ' mkdir -p saved; cp -a disk/. saved/; rm -f saved/fill; exit $status\' bash "$@"'
)
WHY_FULL = "the disk is full"


def disk(folder):
    os.mkdir(os.path.join(folder, "disk"))


def on_disk(name, did, script, size, before="", **more):
    return Scenario(
        name,
        did,
        script,
        shell=DISK.format(size=size, before=before),
        setup=disk,
        needs=needs_mount,
        output="disk/trace.db",
        **more,
    )


# The header of an empty trace: an SQLite file with our application id.
TRACE = b"SQLite format 3\0".ljust(68, b"\0") + b"prof" + bytes(28)
OTHER_DATABASE = TRACE.replace(b"prof", b"abcd")


def bad_disk(name, did, writes, script=WORK + MORE + MORE + MORE + "out done; exit 7", **more):
    """`writes`: see bad_disk.cpp. A capture makes some 100 with its file, and 500 for MORE."""
    return Scenario(name, did, script, env={"LD_PRELOAD": "{bad_disk}", "BAD_DISK": writes}, **more)


def earlier(content=b"precious"):
    def make(folder):
        with open(os.path.join(folder, "trace.db"), "wb") as file:
            file.write(content)

    return make


def fifo(folder):
    os.mkfifo(os.path.join(folder, "trace.db"))


def folder_there(folder):
    os.mkdir(os.path.join(folder, "trace.db"))


def out_folder(folder):
    os.mkdir(os.path.join(folder, "out"))


def of_window_1(folder):
    with open(os.path.join(folder, "trace-1.db"), "wb") as file:
        file.write(TRACE)


def writable(folder):
    for_user(folder)
    out_folder(folder)
    os.chmod(os.path.join(folder, "out"), 0o777)


def not_writable(folder):
    for_user(folder)
    out_folder(folder)


def refused(name, did, setup=None, **more):
    return Scenario(name, did, WORK + "exit 7", setup=setup, refused=True, **more)


SCENARIOS = [
    on_disk(
        "disk full at start",
        "a disk of 4 KiB that is full",
        WORK + "out done; exit 7",
        "4k",
        "cat /dev/zero > disk/fill 2>/dev/null;",
        no_trace="prof: .*(full|space|written)",
        trace_optional=True,
        may_lose=WHY_FULL,
        may_refuse=True,
    ),
    on_disk(
        "tiny disk",
        "a disk of 16 KiB",
        WORK + "out done; exit 7",
        "16k",
        no_trace="prof: .*(full|space|written)",
        trace_optional=True,
        may_lose=WHY_FULL,
        may_refuse=True,
    ),
    on_disk(
        "small disk",
        "a disk of 200 KiB",
        WORK + "out done; exit 7",
        "200k",
        may_lose=WHY_FULL,
        no_trace="prof: .*(full|space|written)",
        trace_optional=True,
    ),
    on_disk(
        "disk full in the middle",
        "a disk of 1 MiB, 120,500 kernels",
        WORK + "repeat 3 { push b; work l 40000; pop; sync; sleep 1500; } out done; exit 7",
        "1m",
        may_lose=WHY_FULL,
        quick=True,
    ),
    on_disk(
        "disk full at exit",
        "the program fills the disk, then exit(7)",
        WORK + 'run "cat /dev/zero > disk/fill 2>/dev/null; true"; out done; exit 7',
        "1m",
        may_lose=WHY_FULL,
        quick=True,
    ),
    on_disk(
        "disk full, then free",
        "full for three seconds, then free again",
        WORK
        + 'run "cat /dev/zero > disk/fill 2>/dev/null; true"; '
        + MORE
        + 'sleep 1500; run "rm disk/fill"; '
        + WORK
        + "sleep 1500; exit 7",
        "30m",
        may_lose=WHY_FULL,
    ),
    bad_disk("a write fails", "one write fails, then the disk works", "200 1 0", quick=True),
    bad_disk(
        "writes fail for a while",
        "40 writes fail, then the disk works",
        "400 40 0",
        may_lose="what could not be written",
    ),
    bad_disk(
        "all writes fail",
        "from the 400th on",
        "400 1000000 0",
        may_lose="what could not be written",
        may_leave=("trace.db-journal",),
    ),
    bad_disk(
        "slow disk, suspended at exit",
        "20 ms a write, SIGSTOP for 11 s while it exits",
        "0 0 20000000",
        WORK + "work l 20000; out done; exit 7",
        shell='setsid "$@" & p=$!; sleep 2; { kill -STOP -- -$p; sleep 11;'
        " kill -CONT -- -$p; } 2>/dev/null; wait $p; exit $?",
        seconds=120,
    ),
    Scenario(
        "output folder gone",
        "the folder is removed with the file while the program runs",
        WORK + 'sleep 1500; run "rm -rf out"; ' + MORE + "out done; exit 7",
        setup=out_folder,
        output="out/trace.db",
        no_trace="prof: .*removed",
        quick=True,
    ),
    Scenario(
        "output removed",
        "the file is removed while the program runs",
        WORK + 'sleep 1500; run "rm -f trace.db"; ' + MORE + "out done; exit 7",
        no_trace="prof: .*removed",
    ),
    Scenario(
        "output and journal removed",
        "rm trace.db*",
        WORK + 'sleep 1500; run "rm -f trace.db*"; ' + MORE + "out done; exit 7",
        no_trace="prof: .*removed",
    ),
    Scenario(
        "output replaced",
        "another file gets its name while the program runs",
        WORK + 'sleep 1500; run "echo mine > new; mv new trace.db"; ' + MORE + "out done; exit 7",
        no_trace="prof: .*removed",
    ),
    Scenario(
        "output renamed",
        "mv trace.db other.db while the program runs",
        WORK
        + 'sleep 1500; run "mv trace.db other.db 2>/dev/null; true"; '
        + MORE
        + "out done; exit 7",
        other_name=True,
        may_lose="the file was moved",
    ),
    Scenario(
        "output truncated",
        ": > trace.db while the program runs",
        WORK
        + 'sleep 1500; run "test ! -e trace.db || true > trace.db"; '
        + MORE
        + "out done; exit 7",
        no_trace="prof: .*(removed|truncated)",
        may_lose="the file was truncated",
        may_leave=("trace.db*",),
        trace_optional=True,
        damaged=True,
    ),
    Scenario(
        "folder not writable",
        "a folder of another user",
        WORK + "exit 7",
        shell=f'chmod 555 out; {AS_USER}"$@"',
        setup=not_writable,
        needs=needs_other_user,
        output="out/trace.db",
        refused=True,
    ),
    Scenario(
        "folder not writable, preloaded",
        "the same by LD_PRELOAD",
        WORK + "out done; exit 7",
        shell=f'chmod 555 out; {AS_USER}"$@"',
        setup=not_writable,
        needs=needs_other_user,
        output="out/trace.db",
        door="preload",
        no_trace="prof: .*(out|permission|writable)",
    ),
    Scenario(
        "folder becomes read-only",
        "chmod 555 while the program runs as a user",
        WORK + 'sleep 1500; run "chmod 555 out"; ' + MORE + "out done; exit 7",
        shell=f'chown 54321 out; {AS_USER}"$@"',
        setup=not_writable,
        needs=needs_other_user,
        output="out/trace.db",
        may_lose="no journal can be made",
        may_leave=("out/trace.db-journal",),
    ),
    refused("folder missing", "-o no/such/trace.db", output="no/such/trace.db"),
    refused("file exists", "an earlier file, no --force", earlier(), quick=True),
    refused("output a FIFO", "-o names a FIFO, with --force", fifo, options=("--force",)),
    refused(
        "output a folder", "-o names a folder, with --force", folder_there, options=("--force",)
    ),
    refused("output /dev/full", "-o /dev/full --force", output="/dev/full", options=("--force",)),
    Scenario(
        "replaced with --force",
        "an earlier file and its journal, --force",
        WORK + "exit 7",
        setup=earlier(TRACE),
        options=("--force",),
    ),
    refused(
        "a script with --force",
        "-o names a script of the user's, with --force",
        earlier(b"print('hours of work')\n"),
        options=("--force",),
        quick=True,
    ),
    refused(
        "a database with --force",
        "-o names another program's SQLite file, with --force",
        earlier(OTHER_DATABASE),
        options=("--force",),
    ),
    refused(
        "the program with --force",
        "-o names the program itself, with --force",
        earlier(b"\x7fELF of the program"),
        options=("--force",),
    ),
    refused(
        "windows' file exists",
        "-o trace-%n.db, and trace-1.db of an earlier run",
        of_window_1,
        output="trace-%n.db",
        options=("--capture", "steps:1"),
    ),
    Scenario(
        "umask 777",
        "umask 777, as a user",
        WORK + "exit 7",
        shell=f'umask 777; {AS_USER}"$@"',
        setup=writable,
        needs=needs_other_user,
        output="out/trace.db",
    ),
    Scenario(
        "file exists, preloaded",
        "an earlier file, LD_PRELOAD",
        WORK + "out done; exit 7",
        setup=earlier(),
        door="preload",
        no_trace="prof: .*exists",
    ),
]
