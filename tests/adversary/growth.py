#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how the costs of prof-import and of every report grow with what a trace has.

For each shape (shapes.py) a stream of N, 10 N and 100 N of one thing is imported, and every
report is made of each trace, one process at a time. The exit status is 1 if anything takes more
than N log N, in CPU seconds or in memory. CPU seconds vary much less than wall seconds on a shared
machine; what takes next to nothing is not judged.
"""
import argparse
import math
import shutil
import sqlite3
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from processes.table import put_into
from shapes import SHAPES, write_stream

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from report_times import Cost, listed_reports, run_once  # noqa: E402

# What a program takes for a trace of nothing, and what a slow moment of the machine adds.
FREE_SECONDS, FREE_MB = 0.1, 24
TIMEOUT_S = 300
TEN = 10


@dataclass
class Trace:
    size: int
    path: Path
    costs: dict = field(default_factory=dict)  # of each program and report, by its words


def allowed_growth(size, margin):
    """From a tenth of the size to `size`."""
    return TEN * math.log(size) / math.log(size / TEN) * margin


def growth(before, after, free):
    return after / max(before, free)


def faults(traces, margin):
    """What grows faster than N log N, as lines."""
    found = []
    for small, large in zip(traces, traces[1:]):
        for words, cost in large.costs.items():
            before = small.costs[words]
            if not before.finished:
                continue
            allowed = allowed_growth(large.size, margin)
            seconds = growth(before.cpu_s, cost.cpu_s, FREE_SECONDS)
            memory = growth(before.peak_mb, cost.peak_mb, FREE_MB)
            what = f"{words}: {small.size:,} to {large.size:,}: "
            if not cost.finished or seconds > allowed:
                end = "" if cost.finished else f", not finished in {TIMEOUT_S} s"
                found.append(f"{what}{before.cpu_s:.2f} to {cost.cpu_s:.2f} CPU s{end}")
            if memory > allowed:
                found.append(f"{what}{before.peak_mb:.0f} to {cost.peak_mb:.0f} MB")
    return found


class Programs:
    def __init__(self, build, folder, together):
        self.report = str(build / "bin" / "prof-report")
        self.importer = str(build / "bin" / "prof-import")
        self.folder = folder
        self.reports = [name for name in listed_reports(self.report) if name != "diff"]
        self.together = together

    def trace(self, shape, size):
        """The import is measured, too."""
        stream = self.folder / "stream.jsonl"
        trace = Trace(size, self.folder / f"{size}.db")
        write_stream(shape, size, stream)
        trace.costs["prof-import"] = run_once(
            [self.importer, str(stream), "-o", str(trace.path)], TIMEOUT_S
        )
        stream.unlink()
        if shape.files:
            trace.path = self.ranks(trace.path, max(2, size // shape.files))
        return trace

    def ranks(self, path, count):
        """A folder of traces of as many processes."""
        folder = path.with_suffix("")
        folder.mkdir()
        for rank in range(count):
            own = folder / f"rank{rank}.db"
            shutil.copyfile(path, own)
            with sqlite3.connect(own) as db:
                db.execute("INSERT INTO meta VALUES('env.RANK', ?)", (str(rank),))
            db.close()
        path.unlink()
        return folder

    def measure(self, trace):
        costs = trace.costs
        if self.together:
            out = self.folder / "out"
            costs["all reports"] = run_once(
                [
                    self.report,
                    "-f",
                    "csv",
                    "-r",
                    ",".join(self.reports),
                    "-o",
                    str(out),
                    str(trace.path),
                ],
                TIMEOUT_S,
            )
            shutil.rmtree(out)
        else:
            for name in self.reports:
                costs[f"-r {name}"] = run_once(
                    [self.report, "-r", name, str(trace.path)], TIMEOUT_S
                )
        if trace.path.is_dir():
            return
        costs["-r diff"] = run_once([self.report, "-r", "diff", *[str(trace.path)] * 2], TIMEOUT_S)
        for word in "perfetto", "chrome", "pprof":
            costs[f"--export {word}"] = run_once(
                [self.report, "--export", word, "-o", str(self.folder / word), str(trace.path)],
                TIMEOUT_S,
            )
        costs["--save"] = run_once([self.report, "--save", str(trace.path)], TIMEOUT_S)


def measured(shape, sizes, programs):
    traces = []
    for size in sizes:
        print(f"{shape.name}: {size:,}", file=sys.stderr, flush=True)
        traces.append(programs.trace(shape, size))
        programs.measure(traces[-1])
        if traces[-1].path.is_dir():
            shutil.rmtree(traces[-1].path)
        else:
            traces[-1].path.unlink()
    return traces


def seconds(cost: Cost):
    return f"{cost.cpu_s:.2f}" if cost.finished else f"> {TIMEOUT_S}"


def row(shape, traces):
    """The import, and the report that takes longest of the largest trace."""
    last = traces[-1]
    reports = [words for words in last.costs if words != "prof-import"]
    slowest = max(reports, key=lambda words: last.costs[words].cpu_s)
    sizes = [trace.size if not shape.files else trace.size // shape.files for trace in traces]
    cells = [
        shape.name,
        " / ".join(f"{size:,}" for size in sizes),
        " / ".join(seconds(trace.costs["prof-import"]) for trace in traces),
        f"`{slowest}`",
        " / ".join(seconds(trace.costs[slowest]) for trace in traces),
        " / ".join(f"{max(cost.peak_mb for cost in trace.costs.values()):.0f}" for trace in traces),
    ]
    return "| " + " | ".join(cells) + " |\n"


HEAD = (
    "| what there is more of | how many | import, CPU s | slowest report | its CPU s "
    "| most memory, MB |\n|---|---|---|---|---|---|\n"
)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="a build folder")
    parser.add_argument("--size", type=int, default=1000, help="N (%(default)s)")
    parser.add_argument(
        "--times",
        type=int,
        default=2,
        metavar="COUNT",
        help="how often N is multiplied by 10 (%(default)s)",
    )
    parser.add_argument(
        "--margin",
        type=float,
        default=1.7,
        help="what may be on top of N log N (%(default)s times)",
    )
    parser.add_argument("--only", action="append", metavar="SHAPE", help="may be repeated")
    parser.add_argument(
        "--together", action="store_true", help="all reports in one process: faster, and tells less"
    )
    parser.add_argument("--into", metavar="PAGE", help="insert the table into this page")
    parser.add_argument("--scratch", help="folder for traces")
    return parser.parse_args()


def main():
    options = parse_arguments()
    sizes = [options.size * TEN**power for power in range(options.times + 1)]
    table, found = HEAD, []
    print(HEAD, end="")
    for shape in SHAPES:
        if options.only and shape.name not in options.only:
            continue
        with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
            traces = measured(shape, sizes, Programs(options.build, Path(folder), options.together))
        table += row(shape, traces)
        print(row(shape, traces), end="", flush=True)
        found += [f"{shape.name}: {line}" for line in faults(traces, options.margin)]
    if options.into:
        put_into(options.into, "growth", table)
    for line in found:
        print(f"grows faster than N log N: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
