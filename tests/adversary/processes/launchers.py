# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Who starts a program, ends it, or talks to it: shells, terminals, launchers, batch systems,
containers. For all of them prof-run is the program."""
import ctypes
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import trace_db
from processes.compared import NOT_OVER, READY, ended, read_until, same, wait_ready

PR_SET_CHILD_SUBREAPER = 36
LAST_FACT = rb"umask \S+\r\n"
GROUP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT)


# What a program sees of itself.


def told_facts(status, out):
    """A facts line: NAME VALUE; the last one is umask."""
    lines = [
        line.split(" ", 1)
        for line in out.splitlines()
        if " " in line and not line.startswith("prof")
    ]
    assert lines and lines[-1][0] == "umask", f"the probe told no facts: {status}, {out[-500:]}"
    return {"status": status, **dict(lines)}


def facts(*before, prof_options=(), **options):
    def observe(place):
        place.options = prof_options
        return told_facts(*place.run([*before, *place.probe("facts")], **options))

    return observe


ODD = """
    ulimit -n 100 -s 1024 -c 0 -f 2000000
    umask 077
    exec 3</dev/null 9>>/dev/null env --block-signal=USR1 --ignore-signal=HUP,RTMAX,XFSZ "$@"
"""
SUBREAPER = f"""
import ctypes, os, sys
ctypes.CDLL(None).prctl({PR_SET_CHILD_SUBREAPER}, 1, 0, 0, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


def env_blocks(_machine):
    done = subprocess.run(["env", "--block-signal=USR1", "true"], capture_output=True)
    return "" if done.returncode == 0 else "env(1) blocks no signals here (coreutils before 8.31)"


def tmux_is_there(_machine):
    return "" if shutil.which("tmux") else "tmux is not installed"


def namespaces(_machine):
    done = subprocess.run(["unshare", "-rpf", "--mount-proc", "true"], capture_output=True)
    why = "a namespace of processes (unshare -rpf) is not allowed here"
    return "" if done.returncode == 0 else why


# Signals to the group.


def to_the_group(place):
    seen = {}
    for number in GROUP_SIGNALS:
        process = place.start(place.probe("checkpoint"))
        wait_ready(process)
        os.killpg(process.pid, number)
        seen[number.name] = ended(process)
    return {**seen, "status": seen["SIGTERM"][0], "checkpoints": place.file("checkpoint")}


def to_the_group_again(place):
    """What comes twice mostly comes twice."""
    twice = 0
    for _ in range(12):
        process = place.start(place.probe("checkpoint"))
        wait_ready(process)
        os.killpg(process.pid, signal.SIGTERM)
        twice += ended(process)[0] == 9
    return {"status": 5, "twice": twice}


def under(*before):
    """timeout(1) signals its child and then its group: whether that is once or twice is chance."""

    def observe(place):
        status, out = place.run([*before, *place.probe("first")])
        return {
            "status": status,
            "stdout": out.split(" ")[0],
            "checkpoint": place.file("checkpoint"),
        }

    return observe


def hung_up_nohup(place):
    process = place.start(["nohup", *place.probe("stay")])
    wait_ready(process)
    os.killpg(process.pid, signal.SIGHUP)
    time.sleep(0.3)
    is_alive = process.poll() is None
    process.terminate()
    return {"status": ended(process)[0], "alive after SIGHUP": is_alive}


# Terminals.


def on_terminal(place, command):
    """(process id, the terminal's other end); the program leads the session."""
    process, terminal = pty.fork()
    if process == 0:
        os.closerange(3, 256)  # Rows beside this one have terminals, too.
        os.chdir(place.folder)
        os.execvpe(command[0], command, place.env)
    return process, terminal


def wait_status(process, seconds=10):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return NOT_OVER


def hang_up(word):
    def observe(place):
        process, terminal = on_terminal(place, place.probe(word))
        read_until(terminal, READY)
        os.close(terminal)
        return {"status": wait_status(process, 4), "checkpoint": place.file("checkpoint")}

    return observe


def keys(place):
    seen = {}
    for name, key in (("Ctrl-C", b"\x03"), ("Ctrl-\\", b"\x1c")):
        process, terminal = on_terminal(place, place.probe("checkpoint"))
        read_until(terminal, READY)
        os.write(terminal, key)
        seen[name] = wait_status(process)
        os.close(terminal)
    process, terminal = on_terminal(place, place.probe("typed"))
    read_until(terminal, READY)
    os.write(terminal, b"a line\n")
    shown = read_until(terminal, b"read '")
    seen["line"] = "read 'a line\\n' True" in shown + read_until(terminal, b"True", 2)
    seen["status"] = wait_status(process)
    os.close(terminal)
    return {**seen, "checkpoints": place.file("checkpoint")}


def terminal_facts(place):
    process, terminal = on_terminal(place, place.probe("facts"))
    shown = read_until(terminal, LAST_FACT)
    status = wait_status(process)
    os.close(terminal)
    return told_facts(status, shown)


def multiplexer(place):
    """A window of tmux is closed."""
    tmux = ["tmux", "-S", os.path.join(place.scratch, "tmux"), "-f", "/dev/null"]
    command = shlex.join(place.probe("checkpoint")) + " > told 2>&1"
    seen = {"started": place.run([*tmux, "new-session", "-d", command])[0]}
    wait_for_file(place, "told", "ready")
    seen["status"] = place.run([*tmux, "kill-session"])[0]
    wait_for_file(place, "checkpoint", "\n")
    place.run([*tmux, "kill-server"])
    return {**seen, "checkpoint": place.file("checkpoint")}


def wait_for_file(place, name, text, seconds=10):
    until = time.monotonic() + seconds
    while text not in (place.file(name) or "") and time.monotonic() < until:
        time.sleep(0.02)


def job_control(place):
    """What an interactive shell shows of a job that is stopped, continued and interrupted."""
    with open(os.path.join(place.folder, "job"), "w", encoding="utf-8") as file:
        file.write("exec " + shlex.join(place.probe("stay")) + "\n")
    shell, terminal = on_terminal(place, ["bash", "--norc", "--noediting", "-i"])
    seen, ask = {}, 0

    def told(typed, pattern):
        """What comes behind the echo of what is typed, less what the kernel's timing decides."""
        nonlocal ask
        ask += 1
        os.write(terminal, typed)
        shown = read_until(terminal, pattern)
        seen[f"{ask}: {typed!r}"] = bool(re.search(pattern, shown.encode()))

    told(b"stty -echo; PS1='status $?! '\n", rb"status 0! ")
    told(b"bash ./job\n", READY)
    told(b"\x1a", rb"\[1\]\+  Stopped +bash ./job\r\n")
    told(b"jobs -s\n", rb"\[1\]\+  Stopped +bash ./job\r\n")
    told(b"bg\n", rb"\[1\]\+ bash ./job &\r\n")
    told(b"jobs -r\n", rb"\[1\]\+  Running +bash ./job &\r\n")
    told(b"kill -STOP %1; wait %1; jobs -s\n", rb"Stopped")
    told(b"fg\n", rb"bash ./job\r\n")
    told(b"\x03", rb"status 130! ")
    os.write(terminal, b"exit 0\n")
    seen["status"] = wait_status(shell)
    os.close(terminal)
    return seen


# Launchers with several ranks.


def kernels_of(path):
    return (
        trace_db.Trace(path, recover=True).one("SELECT count(*) FROM kernel")
        if os.path.exists(path)
        else 0
    )


def rank(place, number, script):
    place.env["RANK"] = str(number)
    return place.words(place.program, script, output="rank-%r.db")


def elastic(place):
    """As torchrun: when one rank fails, the others get SIGTERM, and after a while SIGKILL."""
    steady = place.start(rank(place, 0, "work k 50; sync; out ready; work l 100000 20; exit 0"))
    assert steady.stdout.readline() == b"ready\n"
    time.sleep(1.5)
    failing = place.start(rank(place, 1, "work k 30; sync; exit 3"))
    seen = {"status": ended(failing)[0]}
    steady.send_signal(signal.SIGTERM)
    seen["the other rank"] = ended(steady)[0]
    if place.profiled:
        found = [kernels_of(os.path.join(place.folder, f"rank-{number}.db")) for number in (0, 1)]
        if found[0] < 50 or found[1] != 30:
            seen["kernels in the traces"] = found
    return seen


def batch_step(place):
    """As a batch system: adopts what its tasks leave, signals each group, waits for all."""
    set_subreaper = ctypes.CDLL(None, use_errno=True).prctl
    read_end, write_end = os.pipe()
    daemon = os.fork()
    if daemon == 0:
        set_subreaper(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        tasks = [place.start(place.probe("checkpoint")) for _ in range(2)]
        for task in tasks:
            wait_ready(task)
        for task in tasks:
            os.killpg(task.pid, signal.SIGCONT)
            os.killpg(task.pid, signal.SIGTERM)
        statuses, until = {}, time.monotonic() + 10
        while time.monotonic() < until:
            try:
                found, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            statuses[found] = status
            time.sleep(0 if found else 0.01)
        else:
            statuses = {}
        text = [os.waitstatus_to_exitcode(statuses.get(task.pid, 0)) for task in tasks]
        os.write(write_end, repr(text).encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as file:
        text = file.read().decode()
    os.waitpid(daemon, 0)
    return {"status": text, "checkpoints": place.file("checkpoint")}


def first_process(word):
    """Process 1 of a container on a terminal, which a signal from outside reaches."""

    def observe(place):
        command = ["unshare", "-rpf", "--mount-proc", "--kill-child", *place.probe(word)]
        process, terminal = on_terminal(place, command)
        shown = read_until(terminal, LAST_FACT if word == "facts" else READY)
        if word != "facts":
            os.write(terminal, b"\x03")
        status = wait_status(process)
        os.close(terminal)
        if word == "facts":
            return told_facts(status, shown)
        return {"status": status, "checkpoint": place.file("checkpoint")}

    return observe


# Ends of pipes.


def closed_early(place):
    """The other end of a pipe sees at once that the program has closed its own."""
    seen = {}
    for number in (1, 2):
        read_end, write_end = os.pipe()
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        options["stdout" if number == 1 else "stderr"] = write_end
        process = place.start(place.probe("close", number), **options)
        os.close(write_end)
        while os.read(read_end, 4096):
            pass
        seen[f"alive at the end of {number}"] = process.poll() is None
        release(place, process, seen)
        os.close(read_end)
    read_end, write_end = os.pipe()
    process = place.start(place.probe("close", 0), stdin=read_end)
    os.close(read_end)
    try:
        until = time.monotonic() + 6
        while time.monotonic() < until:
            os.write(write_end, b"x")
            time.sleep(0.01)
    except BrokenPipeError:
        pass
    seen["alive when stdin is closed"] = process.poll() is None
    os.close(write_end)
    release(place, process, seen)
    return seen


def release(place, process, seen):
    path = os.path.join(place.folder, "go")
    open(path, "w", encoding="ascii").close()
    seen["status"] = ended(process)[0]
    os.remove(path)


SCENARIOS = [
    same(
        "what a program sees",
        "process, group, session, descriptors, limits, masks, children",
        facts(),
        quick=True,
    ),
    same(
        "the same, --capture control",
        "prof-run --capture control",
        facts(prof_options=("--capture", "control")),
        quick=True,
    ),
    same(
        "the same, of its shell's group",
        "started in the launcher's session",
        facts(start_new_session=False),
    ),
    same("the same, by setsid", "setsid -w", facts("setsid", "-w")),
    same("the same, by timeout", "timeout 30", facts("timeout", "30")),
    same("the same, by nohup", "nohup", facts("nohup")),
    same(
        "the same, by nice and taskset",
        "nice -n 5, one CPU",
        facts("nice", "-n", "5", "taskset", "-c", "0"),
    ),
    same(
        "the same, odd limits and masks",
        "ulimit -n 100 -s 1024 -f, umask 077, USR1 blocked, HUP,"
        " XFSZ and RTMAX ignored, 3 and 9 open",
        facts("bash", "-c", ODD, "bash"),
        needs=env_blocks,
        quick=True,
    ),
    same(
        "the same, a subreaper",
        "what starts it adopts orphans: prctl, then exec",
        facts(sys.executable, "-c", SUBREAPER),
        quick=True,
    ),
    same(
        "the same, on a terminal",
        "leads the session of a terminal, as in tmux or ssh -t",
        terminal_facts,
        quick=True,
    ),
    same(
        "the same, as process 1",
        "unshare -p, on a terminal, as docker run -t",
        first_process("facts"),
        needs=namespaces,
        quick=True,
    ),
    same(
        "signals to the group",
        "kill -N -PGID: INT, TERM, HUP, USR1, QUIT; each comes once",
        to_the_group,
        quick=True,
    ),
    same("signals to the group, again", "12 times SIGTERM", to_the_group_again),
    same(
        "timeout",
        "timeout -s INT 1: the signal comes once, and a checkpoint is written",
        under("timeout", "-s", "INT", "1"),
        quick=True,
    ),
    same("timeout, killed", "timeout -s KILL 1", under("timeout", "-s", "KILL", "1")),
    same("nohup", "SIGHUP to the group, then SIGTERM", hung_up_nohup),
    same(
        "job control",
        "Ctrl-Z, jobs, bg, kill -STOP, fg, Ctrl-C in an interactive bash",
        job_control,
        quick=True,
    ),
    same("hangup", "the terminal goes away", hang_up("stay"), quick=True),
    same(
        "hangup, caught",
        "the terminal goes away; a checkpoint is written",
        hang_up("checkpoint"),
        quick=True,
    ),
    same("tmux", "kill-session; a checkpoint is written", multiplexer, needs=tmux_is_there),
    same("keys", "Ctrl-C, Ctrl-\\, a line on a terminal", keys),
    same("Ctrl-C as process 1", "on a terminal", first_process("checkpoint"), needs=namespaces),
    same("a rank fails", "the launcher ends the other one by SIGTERM, as torchrun", elastic),
    same(
        "a batch step ends",
        "SIGCONT and SIGTERM to two tasks' groups, a subreaper waits for all",
        batch_step,
        quick=True,
    ),
    same(
        "pipes closed early", "0, 1, 2 closed by the program, which stays", closed_early, quick=True
    ),
]
