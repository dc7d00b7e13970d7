#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compares what the reports say of made sets of ranks with what was planted in them, and prints tables in Markdown.

usage: ranks_truth.py [--ranks 8,64] [--ways ddp,fsdp] [--causes kernel,host] [--clean N] [--keep DIR] [--check]

Each set (tests/bench/made_ranks/grid.py) has one cause or none, and its truth: how much longer a step takes than
without the cause and with the same noise. It is also compared with a set without a cause, whose noise is another one.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from made_ranks import grid, scores

ROOT = pathlib.Path(__file__).resolve().parents[2]


def choice(known):
    def chosen(text):
        words = text.split(",")
        for word in words:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word}: not one of {', '.join(known)}")
        return words
    return chosen


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--source", type=pathlib.Path, default=ROOT)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[8, 64, 512])
    parser.add_argument("--ways", type=choice(grid.WAYS), default=list(grid.WAYS))
    parser.add_argument("--causes", type=choice(grid.CAUSES), default=list(grid.CAUSES))
    parser.add_argument("--overlaps", type=choice(("exposed", "overlapped")), default=["exposed", "overlapped"])
    parser.add_argument("--clean", type=int, default=0, metavar="N", help="so many more clean sets of 8 ranks")
    parser.add_argument("--reports", type=choice(scores.ALL), default=list(scores.ALL))
    parser.add_argument("--keep", type=pathlib.Path, help="make the sets here, with a truth.json each, and do no more")
    parser.add_argument("--json", type=pathlib.Path, help="write every score here")
    parser.add_argument("--check", action="store_true", help="exit with 1 unless rank, place and cost are right")
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def sets_of(options):
    return [grid.Made(ranks, way, cause, overlap == "exposed") for ranks in options.ranks for way in options.ways
            for overlap in options.overlaps for cause in options.causes]


def clean_sets_of(options):
    kinds = [(way, overlap) for way in options.ways for overlap in options.overlaps]
    return [grid.Made(8, *kinds[i % len(kinds)][:1], "none", kinds[i % len(kinds)][1] == "exposed",
                      seed=10 + i // len(kinds)) for i in range(options.clean)]


def keep(options, sets):
    for made in sets:
        folder = options.keep / made.name
        truth = made.make(folder, options.source, options.bin, options.processes)
        (folder / "truth.json").write_text(json.dumps({"expected": made.expected(), **truth}, indent=1) + "\n")


def score_all(options, sets, temporary):
    """Sets of the same kind share the clean one that they are compared with."""
    scored, base, base_folder = [], None, None
    for made in sets:
        wanted = made.clean(seed=2)
        if wanted != base and scores.needs_base(options.reports):
            if base_folder:
                shutil.rmtree(base_folder)
            base, base_folder = wanted, temporary / wanted.name
            base.make(base_folder, options.source, options.bin, options.processes)
        folder = temporary / made.name
        truth = made.make(folder, options.source, options.bin, options.processes)
        scored.append(scores.score(options, made, truth, folder, base_folder))
        shutil.rmtree(folder)
        print(f"{len(scored)} of {len(sets)}: {scored[-1].line()}", file=sys.stderr)
    return scored


def main():
    options = parse()
    options.bin = options.bin.resolve()
    sets = sets_of(options) + clean_sets_of(options)
    if options.keep:
        keep(options, sets)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        scored = score_all(options, sets, pathlib.Path(temporary))
    print(scores.tables(scored))
    if options.json:
        options.json.write_text(json.dumps([one.as_dict() for one in scored], indent=1) + "\n")
    failures = [f"{one.made.name}: {failure}" for one in scored for failure in one.failures()]
    if options.check:
        print("\n".join(failures) or f"all {len(scored)} sets are told right")
    return int(options.check and bool(failures))


if __name__ == "__main__":
    sys.exit(main())
