# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A program that tells what it sees of those who started it, and what reaches it. It starts CUDA,
so that the collector is at work, and puts no work on a GPU."""
import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import signal
import sys
import termios
import time

PATIENCE = 8


def start_cuda():
    ctypes.CDLL("libcuda.so.1").cuInit(0)


def status_fields(*names):
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {name: fields[name] for name in names}


def foreground():
    try:
        return os.tcgetpgrp(0)
    except OSError as error:
        return errno.errorcode[error.errno]


def children():
    try:
        return os.waitpid(-1, os.WNOHANG)
    except OSError as error:
        return errno.errorcode[error.errno]


def descriptors():
    """Number, place and flags of each that was open at the start."""
    found = []
    for number in range(256):
        try:
            flags = fcntl.fcntl(number, fcntl.F_GETFL)
            target = os.readlink(f"/proc/self/fd/{number}").split(":")[0]
            # Those of the two runs differ in their folders and numbers alone.
            is_told = target in ("pipe", "socket", "/dev/null")
            kind = target if is_told else os.path.dirname(target)[:4]
            found.append((number, kind, oct(flags)))
        except OSError:
            pass
    return found


def links():
    """What is open now."""
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            yield os.readlink(f"/proc/self/fd/{number}")


def facts():
    """Process ids as what they are the same as."""
    opened = descriptors()  # Before anything is loaded.
    launcher = int(os.environ.get("LAUNCHER", 0))
    names = {os.getpid(): "own", os.getppid(): "parent's", launcher: "launcher's"}
    seen = status_fields("SigBlk", "SigIgn", "SigPnd", "ShdPnd", "NoNewPrivs", "CapEff", "Seccomp")
    seen.update(
        parent=names.get(os.getppid()),
        is_first=os.getpid() == 1,
        group=names.get(os.getpgrp(), "other"),
        session=names.get(os.getsid(0), "other"),
        foreground=names.get(foreground(), "none"),
        children=children(),
        descriptors=opened,
        folder=os.path.basename(os.getcwd()),
        umask=oct(os.umask(0)),
        nice=os.nice(0),
        cpus=len(os.sched_getaffinity(0)),
        policy=os.sched_getscheduler(0),
        child_usage=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        timers=signal.getitimer(signal.ITIMER_REAL),
        limits=[
            resource.getrlimit(getattr(resource, name))
            for name in sorted(dir(resource))
            if name.startswith("RLIMIT_")
        ],
    )
    start_cuda()
    time.sleep(0.1)
    seen["children_later"] = children()
    # CUPTI opens the device itself, twice more: those of the driver do not count.
    of_driver = sum(link.startswith("/dev/nvidia") for link in links())
    seen["next_files"] = [os.open("/dev/null", os.O_RDONLY) - of_driver for _ in range(3)]
    for name in sorted(seen):
        print(name, seen[name])


def ready():
    print("ready", os.getpid(), flush=True)


def take(number):
    """Every arrival of a signal within a while: its code, and whether the sender sent it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [number])
    start_cuda()
    ready()
    patience = PATIENCE
    while info := signal.sigtimedwait([number], patience):
        print(
            "got",
            info.si_signo,
            "code",
            info.si_code,
            "of the launcher",
            info.si_pid == int(os.environ["LAUNCHER"]),
            flush=True,
        )
        patience = 0.2
    sys.exit(3)


def stay():
    """Has the inherited actions, whatever the interpreter does with them."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    start_cuda()
    ready()
    time.sleep(PATIENCE)
    sys.exit(4)


def checkpoint():
    """Writes a checkpoint at the first signal, which takes a while; a second one ends it."""
    came = []

    def handler(number, _frame):
        came.append(number)
        if len(came) == 2:
            os.write(1, b"second signal: no checkpoint\n")
            os._exit(9)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGQUIT):
        signal.signal(number, handler)
    start_cuda()
    ready()
    until = time.monotonic() + PATIENCE
    while not came and time.monotonic() < until:
        time.sleep(0.01)
    until = time.monotonic() + 0.4
    while time.monotonic() < until:
        time.sleep(0.01)
    with open("checkpoint", "a", encoding="ascii") as file:
        file.write(f"{came}\n")
    sys.exit(5)


def first():
    """Writes a checkpoint at the first signal, at once."""

    def handler(number, _frame):
        with open("checkpoint", "w", encoding="ascii") as file:
            file.write(str(number))
        os._exit(5)

    signal.signal(signal.SIGINT, handler)
    start_cuda()
    ready()
    time.sleep(PATIENCE)
    sys.exit(4)


def close(number):
    """The other end's matter until `go` is there, then ends."""
    start_cuda()
    os.close(number)
    until = time.monotonic() + PATIENCE
    while not os.path.exists("go") and time.monotonic() < until:
        time.sleep(0.01)
    os._exit(7)


def typed():
    """What the terminal makes of keys."""
    attributes = termios.tcgetattr(0)
    start_cuda()
    ready()
    line = sys.stdin.readline()
    print("read", repr(line), bool(attributes[3] & termios.ISIG), flush=True)
    sys.exit(6)


def main():
    word, *numbers = sys.argv[1:]
    globals()[word](*map(int, numbers))


main()
