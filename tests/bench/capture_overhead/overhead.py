#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a capture costs the program that is captured.

Runs each workload bare, with bare CUPTI kernel records (what any kernel profiler pays) and under
prof-run with no options, in turn, round after round, so that a noisy machine disturbs all three alike.
Each window is a process of its own that measures its steps after its own warm-up. Ratios are taken
within a round, then their median.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", help="build folder (default: %(default)s)")
    parser.add_argument(
        "--against",
        metavar="BUILD",
        help="an older build: what its prof-run costs, and the ratio to it",
    )
    parser.add_argument(
        "--against-trace",
        metavar="WORDS",
        help="PROF_TRACE of the build of --against: the same build"
        " with no-device tells what sampling the GPUs' state costs",
    )
    parser.add_argument("--pairs", type=int, default=7, help="rounds (default: %(default)s)")
    parser.add_argument(
        "--workloads", default="loop,dlrm,torch", help="of loop, dlrm, torch (default: all)"
    )
    parser.add_argument(
        "--steps", type=int, help="steps in a window (default: each workload's own)"
    )
    parser.add_argument("--scratch", help="folder for traces (default: a temporary one)")
    parser.add_argument("--json", help="write every window's time there too")
    return parser.parse_args()


def commands(build):
    return {
        "loop": (
            [f"{build}/bench/launch_loop"],
            "launch-bound loop, 4,000 empty kernels in nested NVTX ranges",
        ),
        "dlrm": ([f"{build}/bench/dlrm_steps"], "ref-dlrm training step, default size"),
        "torch": (
            [sys.executable, f"{HERE}/torch_step.py"],
            "eager PyTorch training step, about 800 kernels",
        ),
    }


def window(variant, command, options, scratch):
    """Milliseconds a step of one window."""
    build = os.path.abspath(options.build)
    environment = dict(os.environ)
    trace = os.path.join(scratch, "overhead.db")
    if variant == "raw":
        environment["CUDA_INJECTION64_PATH"] = os.path.join(
            build, "bench", "libraw_cupti_inject.so"
        )
    elif variant in ("prof", "older"):
        chosen = build if variant == "prof" else os.path.abspath(options.against)
        command = [f"{chosen}/bin/prof-run", "-o", trace, "--", *command]
        if variant == "older" and options.against_trace:
            environment["PROF_TRACE"] = options.against_trace
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
    finally:
        size = os.path.getsize(trace) if os.path.exists(trace) else 0
        for suffix in ("", "-journal"):
            if os.path.exists(trace + suffix):
                os.remove(trace + suffix)
    if done.returncode == 77:
        sys.exit(f"overhead.py: skipped: {done.stderr.strip()}")
    found = re.search(r"^ms_per_step ([0-9.]+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        sys.exit(
            f"overhead.py: {' '.join(command)} failed with {done.returncode}:\n{done.stderr[-2000:]}"
        )
    if variant in ("prof", "older") and size < 20000:
        sys.exit(
            f"overhead.py: prof-run kept nothing (a trace of {size} bytes):\n{done.stderr[-2000:]}"
        )
    return float(found.group(1))


def spread(values):
    middle = statistics.median(values)
    return (
        middle,
        min(values),
        max(values),
        statistics.median(abs(value - middle) for value in values),
    )


def print_table(title, times):
    variants = list(times)
    bases = variants[:-1]
    print(f"\n{title}")
    print(
        f"{'':8}{'ms/step':>10}{'min':>10}{'max':>10}{'MAD':>9}"
        + "".join(f"   {'x ' + base:>7} {'(min..max)':>15}" for base in bases)
    )
    for number, variant in enumerate(variants):
        line = f"{variant:8}" + "".join(f"{value:10.4f}" for value in spread(times[variant])[:3])
        line += f"{spread(times[variant])[3]:9.4f}"
        for base in [base for base in bases if base in variants[:number]]:
            middle, low, high, _ = spread([a / b for a, b in zip(times[variant], times[base])])
            line += f"   {middle:7.3f} {f'({low:.3f}..{high:.3f})':>15}"
        print(line)


def main():
    options = parse_options()
    build = os.path.abspath(options.build)
    table = commands(build)
    words = options.workloads.split(",")
    unknown = [word for word in words if word not in table]
    if unknown or options.pairs < 1:
        print(
            f"overhead.py: unknown workload {unknown[0]}"
            if unknown
            else "overhead.py: --pairs must be 1 or more",
            file=sys.stderr,
        )
        return 2
    variants = ["bare", "raw", *(["older"] if options.against else ()), "prof"]
    results = {}
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for word in words:
            command, title = table[word]
            if options.steps:
                command = [*command, str(options.steps)]
            times = {variant: [] for variant in variants}
            for number in range(options.pairs):
                # Another order each round: who comes first must not matter.
                turn = number % len(variants)
                for variant in variants[turn:] + variants[:turn]:
                    times[variant].append(window(variant, command, options, scratch))
                    if sys.stderr.isatty():
                        print(
                            f"\r{word} round {number + 1}/{options.pairs} {variant}   ",
                            end="",
                            file=sys.stderr,
                        )
            if sys.stderr.isatty():
                print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
            print_table(f"{title} ({options.pairs} rounds)", times)
            sys.stdout.flush()
            results[word] = times
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(results, file, indent=1)
    return 0


sys.exit(main())
