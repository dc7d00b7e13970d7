#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes traces of several ranks with planted causes of waits (tests/bench/make_ranks.py), and checks that
`stragglers` names these and no other, and `collectives` finds the transfer behind the waits.

usage: planted_ranks.py --bin DIR --source DIR
"""
import concurrent.futures
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import golden_options

FORWARD = "layer=h.1:mlp:c_fc,op=linear,dir=fprop"
BACKWARD = "layer=h.1:mlp:c_fc,op=linear,dir=bprop"
PLACE = ("h.1:mlp:c_fc", "linear")
LAYOUTS = {
    "data": "data=4",
    "tensor": "data=2,tensor=2",
    "stages": "data=2,pipe=2",
    "experts": "data=4,expert=1",
    "pipeline": "data=1,pipe=4",
}
# Name, arguments, and the causes that must be found: rank, kind, layer, op, direction.
CASES = [
    *(
        (f"clean {name} {seed}", ["--layout", layout, "--seed", str(seed)], [])
        for name, layout in LAYOUTS.items()
        for seed in range(1, 5)
    ),
    (
        "host",
        ["--layout", "data=4", "--cause", f"rank=1,kind=host,ms=1.5,{FORWARD}"],
        [("1", "host", *PLACE, "fprop")],
    ),
    (
        "host of tensor-parallel ranks",
        ["--layout", "data=2,tensor=2", "--cause", f"rank=2,kind=host,ms=1.5,{FORWARD}"],
        [("2", "host", *PLACE, "fprop")],
    ),
    (
        "work beside experts",
        ["--layout", "data=4,expert=1", "--cause", f"rank=3,kind=gpu,ms=1.5,{BACKWARD}"],
        [("3", "work", *PLACE, "bprop")],
    ),
    (
        "work in a stage",
        [
            "--layout",
            "data=1,pipe=4",
            "--cause",
            "rank=3,kind=gpu,ms=1.5,layer=h.7:mlp:c_fc,op=linear,dir=bprop",
        ],
        [("3", "work", "h.7:mlp:c_fc", "linear", "bprop")],
    ),
    (
        "copy",
        ["--layout", "data=4", "--cause", "rank=0,kind=copy,ms=3"],
        [("0", "copy", "inputs", "", "")],
    ),
    (
        "link",
        ["--layout", "data=4,tensor=2", "--cause", "rank=5,kind=link,factor=3"],
        [("5", "link", "gpt2_backward_and_reduce", "all_reduce", "bprop")],
    ),
    (
        "link of one communicator",
        ["--layout", "data=4", "--cause", "rank=2,kind=link,factor=3"],
        [],
    ),
    (
        "clocks",
        ["--layout", "data=4", "--cause", "rank=2,kind=clocks,factor=1.2"],
        [("2", "clocks", "", "", "")],
    ),
    (
        "two causes, windows, no sequences",
        [
            "--layout",
            "data=4",
            "--windows",
            "3",
            "--ids",
            "nvtx",
            "--cause",
            f"rank=1,kind=host,ms=1.5,{FORWARD}",
            "--cause",
            f"rank=3,kind=gpu,ms=1.5,{BACKWARD}",
        ],
        [("1", "host", *PLACE, "fprop"), ("3", "work", *PLACE, "bprop")],
    ),
    (
        "clocks of hosts",
        [
            "--layout",
            "data=4",
            "--gpus-per-host",
            "2",
            "--clock-offset-ms",
            "7",
            "--clock-drift-ppm",
            "20",
            "--cause",
            f"rank=3,kind=host,ms=1.5,{FORWARD}",
        ],
        [("3", "host", *PLACE, "fprop")],
    ),
]
RANKS_REPORTS = ("collectives", "stragglers", "imbalance", "pipeline", "ranks")
# Reports and the lines that they may have of 48 ranks.
SCREENS = {
    **dict.fromkeys(RANKS_REPORTS, 50),
    "comm": 30,
    "steps": 30,
    "gaps": 40,
    "advice": 40,
    "summary": 75,
}
CLOCK = re.compile(r"clock of node1: ([\d.]+) ms ahead of that of node0, \+- ([\d.]+) ms")


def report(options, name, *more):
    done = subprocess.run(
        [options.bin / "prof-report", "-r", name, *more], capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"prof-report -r {name}: {done.stderr}")
    return done


def made(options, folder, arguments):
    maker = options.source / "tests/bench/make_ranks.py"
    done = subprocess.run(
        [sys.executable, maker, folder, "--bin", options.bin, *arguments],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"make_ranks.py: {done.stderr}")
    return json.loads(done.stdout)


def named(options, folder):
    lines = csv.DictReader(io.StringIO(report(options, "stragglers", folder, "-f", "csv").stdout))
    return sorted(
        tuple(line[word] for word in ("rank", "cause", "layer", "op", "dir"))
        for line in lines
        if line["cause"]
    )


def costs_of(options, folder):
    lines = csv.DictReader(io.StringIO(report(options, "stragglers", folder, "-f", "csv").stdout))
    return [float(line["cost_ns"] or 0) for line in lines]


def check_costs(options, folder, planted_ns):
    """The planted rank comes first, with what it costs; the others cost nothing."""
    first, *others = costs_of(options, folder)
    return abs(first - planted_ns) < 0.15 * planted_ns and not any(others)


def check_hidden(options):
    """Of work in the forward pass, most waits are hidden behind the backward pass; it costs what it takes longer."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made(
            options,
            folder,
            ["--layout", "data=16", "--steps", "6", "--cause", f"rank=9,kind=gpu,ms=0.8,{FORWARD}"],
        )
        table = report(options, "stragglers", folder).stdout.splitlines()
        if not table[2].startswith("rank 9") or not check_costs(options, folder, 0.8e6):
            yield f"hidden: {table}"


def check_transfers(options, folder):
    """Waits of a planted cause are none of the transfer: 16 MB over 200 GB/s, twice the share of each link."""
    lines = csv.DictReader(io.StringIO(report(options, "collectives", folder, "-f", "csv").stdout))
    joined = [float(line["bus_gb_per_s"]) for line in lines if line["op"] == "all_reduce"]
    lines = csv.DictReader(io.StringIO(report(options, "comm", folder, "-f", "csv").stdout))
    own = [float(line["bus_gb_per_s"]) for line in lines if line["op"] == "all_reduce"]
    return joined and len(own) > len(joined) and all(150 < rate < 210 for rate in joined + own)


def check_numbers(options, folder):
    """A collective has one kernel on each of its ranks, and the same number on all."""
    query = (
        "SELECT count(*) AS kernels, count(DISTINCT rank) AS ranks, count(DISTINCT op) AS ops FROM collectives "
        "WHERE collective IS NOT NULL GROUP BY collective"
    )
    done = subprocess.run(
        [options.bin / "prof-report", "--sql", query, "-f", "csv", folder],
        capture_output=True,
        text=True,
    )
    lines = list(csv.DictReader(io.StringIO(done.stdout)))
    return lines and all(
        line["kernels"] == line["ranks"] > "1" and line["ops"] == "1" for line in lines
    )


def check_sayings(options, folder):
    """Reports about each rank say what the others do to it; of one alone, that nothing can be said."""
    summary = report(options, "summary", folder).stdout
    alone = report(options, "comm", folder / "rank0.db").stdout
    return (
        "waits for others" in summary
        and "host idle before linear in h.1:mlp:c_fc" in summary
        and "ms of a step for rank 1, and 2 others wait less"
        in report(options, "gaps", folder).stdout
        and "ranks 1 to 3 of the run have no trace here" in alone
    )


def check_files(options, folder):
    """A rank without a trace and one with two are said; a file that cannot be read costs a line, and no result."""
    expected = named(options, folder)
    shutil.copy(folder / "rank1.db", folder / "rank1-again.db")
    said = report(options, "stragglers", folder).stdout
    yield from [] if "rank 1 is in rank1-again.db and in rank1.db: comparisons of ranks leave the latter out" in said else [
        said
    ]
    (folder / "rank1-again.db").unlink()
    (folder / "empty.db").write_bytes(b"")
    (folder / "cut.db").write_bytes((folder / "rank0.db").read_bytes()[:8192])
    done = report(options, "stragglers", folder, "-f", "csv")
    if named(options, folder) != expected or done.stderr.count("warning: left out: ") != 2:
        yield f"unreadable files: {done.stdout}{done.stderr}"
    (folder / "rank3.db").unlink()
    said = report(options, "stragglers", folder).stdout
    if "of 4 ranks, rank 3 has no trace here" not in said or named(options, folder) != expected:
        yield f"a missing rank: {said}"


def check_clock(options, folder, planted):
    """The offset that is found is the planted one within three times its own spread, plus the drift of a run."""
    found = CLOCK.search(report(options, "stragglers", folder).stdout)
    return found and abs(float(found[1]) - planted) < 3 * float(found[2]) + 0.01


def check_diff(options):
    """What changed on one rank is found there alone, and the other ranks' waits are none of their work."""
    with tempfile.TemporaryDirectory() as temporary:
        base, new = pathlib.Path(temporary, "base"), pathlib.Path(temporary, "new")
        made(options, base, ["--layout", "data=6", "--steps", "20"])
        made(
            options,
            new,
            [
                "--layout",
                "data=6",
                "--steps",
                "20",
                "--seed",
                "2",
                "--gpus-per-host",
                "3",
                "--cause",
                f"rank=4,kind=gpu,ms=1.5,{BACKWARD}",
            ],
        )
        lines = list(
            csv.DictReader(io.StringIO(report(options, "diff", base, new, "-f", "csv").stdout))
        )
        slower = {
            (line["rank"], line["layer"], line["op"], line["dir"])
            for line in lines
            if line["change"] not in ("period", "shift", "waits", "late", "same")
        }
        if slower != {("4", *PLACE, "bprop")}:
            yield f"diff: {slower}"
        for line in lines:
            diff = abs(float(line["diff_ns"])) if line["change"] in ("waits", "late") else 0
            is_changed = (line["change"] == "late") == (line["rank"] == "4")
            if line["change"] in ("waits", "late") and (diff > 1e6) != is_changed:
                yield f"diff: {line}"
        table = report(options, "diff", base, new).stdout
        if (
            table.count("period") != 4
            or "late" not in table
            or "GPU work of linear in h.1:mlp:c_fc" not in table
        ):
            yield f"diff: {table}"


def check_stages(options, folder):
    lines = list(
        csv.DictReader(io.StringIO(report(options, "pipeline", folder, "-f", "csv").stdout))
    )
    return (
        [(line["stage"], line["rank"]) for line in lines] == [(str(i), str(i)) for i in range(4)]
        and all(float(line["least_pct"]) == 75 for line in lines)
        and all(float(line["bubble_pct"]) > 70 for line in lines[:3])
    )


def check_imbalance(options, folder):
    lines = csv.DictReader(io.StringIO(report(options, "imbalance", folder, "-f", "csv").stdout))
    first = next(lines)
    return (first["rank"], first["layer"], first["op"], first["dir"]) == ("3", *PLACE, "bprop")


def check_screens(options):
    """Of many ranks, each report shows those that matter."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made(
            options,
            folder,
            [
                "--layout",
                "data=24,pipe=2",
                "--steps",
                "6",
                "--gpus-per-host",
                "4",
                "--cause",
                f"rank=7,kind=host,ms=1.5,{FORWARD}",
            ],
        )
        for name, most in SCREENS.items():
            lines = report(options, name, folder).stdout.count("\n")
            if lines > most:
                yield f"{name}: {lines} lines of 48 ranks"
        if "rank 7 " not in report(options, "ranks", folder).stdout:
            yield "ranks: without the late one"


def failures_of(options, name, arguments, expected):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        made(options, folder, arguments)
        found = named(options, folder)
        if found != sorted(expected):
            yield f"{name}: {found} instead of {expected}"
        if name.startswith("clean") and any(costs_of(options, folder)):
            yield f"{name}: {report(options, 'stragglers', folder).stdout}"
        if name == "work beside experts" and not check_costs(options, folder, 1.5e6):
            yield f"{name}: {report(options, 'stragglers', folder).stdout}"
        if name == "host" and not check_transfers(options, folder):
            yield f"{name}: bandwidths with waits"
        if name == "host" and not check_numbers(options, folder):
            yield f"{name}: collectives without a number of their own"
        if name == "host" and not check_sayings(options, folder):
            yield f"{name}: {report(options, 'summary', folder).stdout}"
        if name == "work in a stage" and not check_stages(options, folder):
            yield f"{name}: {report(options, 'pipeline', folder).stdout}"
        if name == "work beside experts" and not check_imbalance(options, folder):
            yield f"{name}: {report(options, 'imbalance', folder).stdout}"
        if name == "clocks of hosts" and not check_clock(options, folder, planted=7):
            yield f"{name}: {report(options, 'stragglers', folder).stdout}"
        if name == "host":
            yield from check_files(options, folder)


def main():
    parser = golden_options.parser_of(__doc__)
    options = parser.parse_args()
    checks = (check_screens, check_diff, check_hidden)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        others = [pool.submit(lambda check=check: list(check(options))) for check in checks]
        failures = [
            line
            for lines in pool.map(lambda case: list(failures_of(options, *case)), CASES)
            for line in lines
        ]
        for one in others:
            failures += one.result()
    print("\n".join(failures) or f"all causes found in {len(CASES)} sets of ranks")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
