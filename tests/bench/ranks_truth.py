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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--source", type=pathlib.Path, default=ROOT)
    parser.add_argument(
        "--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[8, 64, 512]
    )
    parser.add_argument("--ways", type=choice(grid.WAYS), default=list(grid.WAYS))
    parser.add_argument("--causes", type=choice(grid.CAUSES), default=list(grid.CAUSES))
    parser.add_argument(
        "--overlaps", type=choice(("exposed", "overlapped")), default=["exposed", "overlapped"]
    )
    parser.add_argument(
        "--clean", type=int, default=0, metavar="N", help="so many more clean sets of 8 ranks"
    )
    parser.add_argument("--reports", type=choice(scores.ALL), default=list(scores.ALL))
    parser.add_argument(
        "--keep",
        type=pathlib.Path,
        help="sets are made here, unless they are there, with a truth.json each",
    )
    parser.add_argument("--json", type=pathlib.Path, help="write every score here")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 unless rank, place and cost are right"
    )
    parser.add_argument("--processes", type=int, default=2)
    return parser.parse_args()


def sets_of(options):
    return [
        grid.Made(ranks, way, cause, overlap == "exposed")
        for ranks in options.ranks
        for way in options.ways
        for overlap in options.overlaps
        for cause in options.causes
    ]


def clean_sets_of(options):
    kinds = [(way, overlap) for way in options.ways for overlap in options.overlaps]
    return [
        grid.Made(
            8,
            *kinds[i % len(kinds)][:1],
            "none",
            kinds[i % len(kinds)][1] == "exposed",
            seed=10 + i // len(kinds),
        )
        for i in range(options.clean)
    ]


class Sets:
    """Makes sets in a folder, and removes them after use, unless they are kept."""

    def __init__(self, options, folder):
        self.options, self.folder, self.base = options, folder, None

    def get(self, made):
        """Its folder, and the truth."""
        folder = self.folder / made.name
        file = folder / "truth.json"
        if not file.exists():
            truth = made.make(folder, self.options.source, self.options.bin, self.options.processes)
            file.write_text(json.dumps({"expected": made.expected(), **truth}, indent=1) + "\n")
        return folder, json.loads(file.read_text())

    def drop(self, made):
        if not self.options.keep:
            shutil.rmtree(self.folder / made.name)

    def base_of(self, made):
        """What it is compared with: sets of the same kind share it."""
        wanted = made.clean(seed=2)
        if self.base not in (None, wanted):
            self.drop(self.base)
        self.base = wanted
        return self.get(wanted)[0]


def score_all(options, wanted, folder):
    scored = []
    sets = Sets(options, folder)
    for made in wanted:
        base = sets.base_of(made) if scores.needs_base(options.reports) else None
        scored.append(scores.score(options, made, *sets.get(made), base))
        sets.drop(made)
        print(f"{len(scored)} of {len(wanted)}: {scored[-1].line()}", file=sys.stderr)
    return scored


def main():
    options = parse()
    options.bin = options.bin.resolve()
    wanted = sets_of(options) + clean_sets_of(options)
    with tempfile.TemporaryDirectory() as temporary:
        scored = score_all(options, wanted, options.keep or pathlib.Path(temporary))
    print(scores.tables(scored))
    if options.json:
        options.json.write_text(json.dumps([one.as_dict() for one in scored], indent=1) + "\n")
    failures = [f"{one.made.name}: {failure}" for one in scored for failure in one.failures()]
    if options.check:
        print("\n".join(failures) or f"all {len(scored)} sets are told right")
    return int(options.check and bool(failures))


if __name__ == "__main__":
    sys.exit(main())
