# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a training program bare and under prof-run with each launcher, and compares what is seen
from outside. Usage: torch_launchers.py BIN OUT; the program: torch_launchers.py train FOLDER"""
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time


def train(folder, workers=0, batches=200):
    """Steps until a signal has come and a checkpoint is written. Prints no times or numbers."""
    import torch

    came = []
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
        signal.signal(number, lambda number, _frame: came.append(signal.Signals(number).name))
    torch.manual_seed(0)
    weight = torch.zeros(64, 64, device="cuda")
    data = torch.utils.data.DataLoader(
        list(range(batches)), batch_size=2, num_workers=workers, pin_memory=workers > 0
    )
    print("ready", flush=True)
    until = time.monotonic() + 60
    while not came and time.monotonic() < until:
        for batch in data:
            weight += batch.cuda().float().sum()
            if came:
                break
            time.sleep(0.002)
        if workers:
            break
    torch.cuda.synchronize()
    torch.save(weight * 0, os.path.join(folder, "checkpoint.pt"))
    with open(os.path.join(folder, "came.json"), "w", encoding="ascii") as file:
        json.dump(came, file)
    print("saved", came, flush=True)
    sys.exit(5 if came else 0)


def count(steps):
    """A known number of kernels, at once, then the exit."""
    import torch

    x = torch.zeros(1024, device="cuda")
    torch.cuda.synchronize()
    for _ in range(steps):
        x.add_(1)
    print("done", flush=True)


class Run:
    """What is seen of a run."""

    def __init__(self, folder, prof, launcher, program, act, on_terminal=False):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.folder, self.trace = folder, os.path.join(folder, "trace.db")
        wrapper = [prof, "-q", "--force", "-o", self.trace, "--"] if prof else []
        command = launcher(wrapper, [part.format(folder=folder) for part in program])
        master, slave = pty.openpty() if on_terminal else (None, None)
        self.lines, self.ready = [], threading.Event()
        options = {"stdin": slave, "preexec_fn": self.own_terminal} if on_terminal else {}
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,
        )
        if slave is not None:
            os.close(slave)
        reader = threading.Thread(target=self.read)
        reader.start()
        self.ready.wait(60)
        act(self.process, master)
        try:
            self.status = self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.status = "does not end"
            os.killpg(self.process.pid, signal.SIGKILL)
        reader.join()

    @staticmethod
    def own_terminal():
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if self.lines[-1] in ("ready", "done"):
                self.ready.set()
        self.ready.set()

    def seen(self):
        came = os.path.join(self.folder, "came.json")
        saved = os.path.exists(os.path.join(self.folder, "checkpoint.pt"))
        signals = open(came, encoding="ascii").read() if os.path.exists(came) else None
        return {"status": self.status, "output": self.lines, "saved": saved, "signals": signals}


def traced_kernels(report, trace):
    done = subprocess.run(
        [report, "-r", "kernels", "-f", "json", "-c", "kernel", trace],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        return len(json.loads(done.stdout))
    except ValueError:
        return f"no trace: {done.stderr.strip()[:200]}"


def pause(seconds):
    def act(process, _master):
        # As it ends: "done" is printed, exit handlers run.
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(process.pid, signal.SIGCONT)

    return act


def send(number, group=False):
    def act(process, _master):
        time.sleep(1)
        (os.killpg if group else os.kill)(process.pid, number)

    return act


def hang_up(_process, master):
    time.sleep(1)
    os.close(master)


def nothing(_process, _master):
    pass


def plain(wrapper, program):
    return [*wrapper, *program]


def within(*launcher):
    return lambda wrapper, program: [*launcher, *wrapper, *program]


def around(*launcher):
    return lambda wrapper, program: [*wrapper, *launcher, *program]


def main(binaries, out):
    here = os.path.abspath(__file__)
    training = [sys.executable, "-B", here, "train", "{folder}"]
    loading = [sys.executable, "-B", here, "train", "{folder}", "8"]
    torchrun = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=1",
        "--no-python",
    ]
    counting = [sys.executable, "-B", here, "count", "20000"]
    rows = [
        ("SIGTERM", plain, training, send(signal.SIGTERM), False),
        ("SIGUSR1 to the group", plain, training, send(signal.SIGUSR1, group=True), False),
        ("the terminal goes", plain, training, hang_up, True),
        ("timeout outside", within("timeout", "-s", "TERM", "12"), training, nothing, False),
        ("timeout inside", around("timeout", "-s", "TERM", "12"), training, nothing, False),
        ("nohup, SIGHUP", within("nohup"), training, send(signal.SIGHUP), False),
        ("torchrun inside, SIGTERM", around(*torchrun), training, send(signal.SIGTERM), False),
        ("torchrun outside, SIGTERM", within(*torchrun), training, send(signal.SIGTERM), False),
        ("8 loading workers", plain, loading, nothing, False),
        (
            "8 loading workers, few files",
            within("bash", "-c", 'ulimit -n 256; exec "$@"', "bash"),
            loading,
            nothing,
            False,
        ),
        ("bound to a core", within("taskset", "-c", "1"), counting, nothing, False),
        ("suspended 2 s at exit", plain, counting, pause(2), False),
        ("suspended 5 s at exit", plain, counting, pause(5), False),
        ("suspended 11 s at exit", plain, counting, pause(11), False),
    ]
    broken = 0
    for name, launcher, program, act, on_terminal in rows:
        runs = []
        for prof in (None, os.path.join(binaries, "prof-run")):
            folder = os.path.join(out, name.replace(" ", "_"), "prof" if prof else "bare")
            runs.append(Run(folder, prof, launcher, program, act, on_terminal))
        bare, ours = runs
        kernels = traced_kernels(os.path.join(binaries, "prof-report"), ours.trace)
        expected = 20000 if program is counting else 1
        problems = [] if bare.seen() == ours.seen() else [f"{bare.seen()} became {ours.seen()}"]
        if not isinstance(kernels, int) or kernels < expected:
            problems.append(f"{kernels} kernels of {expected}")
        broken += bool(problems)
        print(
            f"{'FAILED' if problems else 'ok'}: {name}: status {bare.status}, {kernels} kernels",
            *problems,
            sep="\n    ",
            flush=True,
        )
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    if sys.argv[1] == "train":
        train(sys.argv[2], *map(int, sys.argv[3:]))
    elif sys.argv[1] == "count":
        count(int(sys.argv[2]))
    else:
        main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
