#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""How prof-fleet grows with the ranks of a run: for each size, a clean run and one in which every rank's kernels of
one place take longer and one host's clocks are lower. Prints a table in Markdown: what adding takes, how long each
question takes, memory and disk; and fails if what is planted is not found, or something else is. With --clean, so many
clean runs are compared with each other instead, in which nothing may be found.

usage: fleet_scale.py [--bin DIR] [--servers] [--folder DIR] [--clean N] [SIZE...]     default: 8 64 512
"""
import argparse
import contextlib
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/fleet"))
GPUS_PER_HOST = 8
PLACE = "layer=h.1:mlp:c_fc,op=linear,dir=bprop"
QUESTIONS = (
    ("runs",),
    ("top",),
    ("history",),
    ("regress", "clean", "planted"),
    ("spread",),
    ("stragglers",),
    ("hosts",),
    ("flops",),
)


def parse():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sizes", type=int, nargs="*", default=[8, 64, 512], metavar="SIZE")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument(
        "--servers", action="store_true", help="three servers as a cluster, beside a folder"
    )
    parser.add_argument(
        "--folder", type=pathlib.Path, help="where runs are made and kept, and found again"
    )
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument(
        "--clean", type=int, metavar="N", help="compare N clean runs, and measure nothing"
    )
    return parser.parse_args()


def make_run(options, folder, ranks, *causes, seed=1):
    if folder.exists():
        return
    subprocess.run(
        [
            sys.executable,
            ROOT / "tests/bench/make_ranks.py",
            folder,
            "--bin",
            options.bin,
            "--ranks",
            str(ranks),
            "--steps",
            str(options.steps),
            "--gpus-per-host",
            str(GPUS_PER_HOST),
            "--seed",
            str(seed),
            *(word for cause in causes for word in ("--cause", cause)),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def run(options, *words):
    """Output, seconds, and megabytes of memory."""
    began = time.monotonic()
    process = subprocess.Popen(
        [options.bin / "prof-fleet", *map(str, words)], stdout=subprocess.PIPE, text=True
    )
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"prof-fleet {words}: status {process.returncode}")
    return out, time.monotonic() - began, usage.ru_maxrss / 1024


def lines(text):
    return list(csv.DictReader(io.StringIO(text)))


def check(answers, ranks):
    """What is planted is found, and nothing else."""
    slower = {
        (line["layer"], line["op"], line["dir"])
        for line in lines(answers["regress"])
        if line["verdict"] == "slower"
    }
    hosts = {(line["run"], line["host"]) for line in lines(answers["hosts"]) if line["verdict"]}
    faults = []
    if slower != {("h.1:mlp:c_fc", "linear", "bprop")}:
        faults.append(f"regress of {ranks} ranks: {slower}")
    if hosts != ({("planted", "node1")} if ranks > GPUS_PER_HOST else set()):
        faults.append(f"hosts of {ranks} ranks: {hosts}")
    return faults


def compare_clean_runs(options, ranks):
    """What is found in clean runs, of which each is also compared with the one before it."""
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        folder, store = pathlib.Path(temporary), pathlib.Path(temporary) / "store"
        names = [f"run{index:02}" for index in range(options.clean)]
        for seed, name in enumerate(names):
            make_run(options, folder / name, ranks, seed=seed + 1)
            run(options, "add", store, folder / name, "--run", name, "--job", "gpt")
            shutil.rmtree(folder / name)
        for before, after in zip(names, names[1:]):
            answer = lines(run(options, "regress", store, before, after, "-f", "csv")[0])
            faults += [f"regress {before} {after}: {line}" for line in answer if line["verdict"]]
        for question, word in (
            ("hosts", "verdict"),
            ("history", "change_pct"),
            ("stragglers", "cause"),
        ):
            answer = lines(run(options, question, store, "-f", "csv")[0])
            faults += [f"{question}: {line}" for line in answer if line[word]]
    print(f"{options.clean} clean runs of {ranks} ranks: {len(faults)} found", flush=True)
    return faults


def disk_mb(folder):
    return (
        sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file()) / 1e6
    )


def measure(options, ranks, runs, store, *where):
    """A row of the table, and what is wrong."""
    added_s = rows = memory = 0
    for name, folder in runs.items():
        out, seconds, mb = run(options, "add", store, folder, "--run", name, "--job", "gpt", *where)
        added_s += seconds
        rows += int(re.search(r"([\d,]+) rows", out)[1].replace(",", ""))
        memory = max(memory, mb)
    answers, cells = {}, []
    for question in QUESTIONS:
        out, seconds, mb = run(options, question[0], store, *question[1:], "-f", "csv", *where)
        answers[question[0]] = out
        cells.append(f"{seconds:.2f}")
        memory = max(memory, mb)
    return [
        f"{rows:,}",
        f"{added_s:.1f}",
        f"{rows / added_s:,.0f}",
        *cells,
        f"{memory:,.0f}",
    ], check(answers, ranks)


def main():
    options = parse()
    faults = []
    if options.clean:
        for ranks in options.sizes:
            faults += compare_clean_runs(options, ranks)
        return report(faults)
    names = [question[0] for question in QUESTIONS]
    print(
        "| ranks, store | rows | add, s | rows/s |",
        " | ".join(f"{name}, s" for name in names),
        "| memory, MB | disk, MB |",
    )
    print("|---" * (len(names) + 6) + "|")
    for ranks in options.sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.folder or pathlib.Path(temporary)
            runs = {name: folder / f"{name}{ranks}" for name in ("clean", "planted")}
            make_run(options, runs["clean"], ranks)
            slow = [f"rank={rank},kind=gpu,ms=0.05,{PLACE}" for rank in range(ranks)]
            clocks = [
                f"rank={rank},kind=clocks,factor=1.1"
                for rank in range(GPUS_PER_HOST, 2 * GPUS_PER_HOST)
            ]
            make_run(
                options, runs["planted"], ranks, *slow, *(clocks if ranks > GPUS_PER_HOST else [])
            )
            store = pathlib.Path(temporary) / "store"
            cells, wrong = measure(options, ranks, runs, store)
            print(
                f"| {ranks}, folder |",
                " | ".join([*cells, f"{disk_mb(store):,.1f}"]),
                "|",
                flush=True,
            )
            faults += wrong
            if options.servers:
                faults += measure_servers(options, ranks, runs, temporary)
    return report(faults)


def report(faults):
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


def measure_servers(options, ranks, runs, temporary):
    import servers

    with contextlib.ExitStack() as stack:
        started = stack.enter_context(servers.servers(pathlib.Path(temporary) / "servers", 3))
        where = ("--cluster", servers.CLUSTER)
        for server in started:
            run(options, "init", server.url, *where)
        cells, wrong = measure(options, ranks, runs, started[0].url, *where)
        disk = sum(disk_mb(server.folder / "data") for server in started)
        print(f"| {ranks}, three servers |", " | ".join([*cells, f"{disk:,.1f}"]), "|", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
