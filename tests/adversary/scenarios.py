#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs odd programs with and without the profiler and prints what became of each: the table of
docs/adversary.md. Exit status: 0 every promise was kept, 1 a row breaks one, 77 nothing can run
here.

Usage: scenarios.py --build build [--gpu] [--seconds N] [--only GLOB] [--quick] [--jobs N]
       [--table FILE] [--into docs/adversary.md]
"""
import argparse
import concurrent.futures
import fnmatch
import importlib
import os
import sys
import time
import traceback

# Modules of processes/; the table has their order.
TOPICS = (
    "exits",
    "signals",
    "descriptors",
    "limits",
    "outputs",
    "names",
    "several",
    "environments",
    "launchers",
    "sent",
    "threads",
    "osrt",
    "gpu_only",
    "killer",
)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", help="build folder (default: %(default)s)")
    parser.add_argument(
        "--gpu", action="store_true", help="on a real GPU instead of the stand-in driver and CUPTI"
    )
    parser.add_argument(
        "--trace",
        metavar="WORDS",
        default="",
        help="what to record where a scenario does not say it, as prof-run --trace",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=20,
        help="for each scenario that repeats itself (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="GLOB",
        help="scenarios or topics by name; may repeat",
    )
    parser.add_argument("--quick", action="store_true", help="the few seconds that CTest runs")
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        help="scenarios at a time; most of them wait (default: %(default)s)",
    )
    parser.add_argument(
        "--keep", metavar="FOLDER", help="keep what the runs of broken rows left, there"
    )
    parser.add_argument("--table", metavar="FILE", help="write the table there too")
    parser.add_argument("--into", metavar="PAGE", help="put the table into docs/adversary.md")
    parser.add_argument("--list", action="store_true", help="print the names")
    return parser.parse_args()


def chosen(options, machine_kind):
    """[(topic, scenario)] that these options ask for."""
    found = []
    for topic in TOPICS:
        for scenario in importlib.import_module(f"processes.{topic}").SCENARIOS:
            wanted = not options.only or any(
                fnmatch.fnmatch(name, pattern)
                for pattern in options.only
                for name in (topic, scenario.name)
            )
            here = machine_kind in scenario.machines and (scenario.quick or not options.quick)
            if wanted and here:
                found.append((topic, scenario))
    return found


def run_scenario(scenario, machine, options):
    """The scenario's row, whatever happens."""
    from processes import judge, runs
    from processes.scenario import Row

    began = time.monotonic()
    why_not = scenario.needs(machine) if scenario.needs else ""
    if why_not:
        return Row(scenario.name, scenario.did, skipped=why_not)
    try:
        if scenario.run:
            row = scenario.run(scenario, machine, options)
        else:
            with runs.scratch_folder() as one, runs.scratch_folder() as other:
                bare = runs.run_once(scenario, machine, one, profiled=False)
                profiled = runs.run_once(scenario, machine, other, profiled=True)
                row = judge.judge(scenario, bare, profiled)
                if row.problems and options.keep:
                    runs.keep(other, options.keep, scenario.name)
    except Exception as error:
        # A scenario that cannot be judged is a broken row, not the end of the table.
        traceback.print_exc()
        row = Row(scenario.name, scenario.did, problems=[f"the scenario itself failed: {error!r}"])
    row.seconds = time.monotonic() - began
    return row


def main():
    options = parse_options()
    os.environ["PROF_BUILD_DIR"] = os.path.abspath(options.build)
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from processes import machine as machines
    from processes import table

    machine = machines.Machine(options.gpu, options.trace)
    scenarios = chosen(options, machine.kind)
    if options.list:
        print("\n".join(f"{topic}: {scenario.name}" for topic, scenario in scenarios))
        return 0
    if not scenarios:
        print("scenarios.py: no scenario has that name: --list prints them", file=sys.stderr)
        return 2
    missing = machine.missing()
    if missing:
        print(f"SKIPPED: {missing}", file=sys.stderr)
        return 77

    def told(topic_and_scenario):
        topic, scenario = topic_and_scenario
        row = run_scenario(scenario, machine, options)
        word = "SKIPPED" if row.skipped else "FAILED" if row.problems else "ok"
        why = f": {row.skipped}" if row.skipped else ""
        lines = [f"{word}: {topic}: {row.name} ({row.seconds:.1f} s){why}"]
        print(
            "\n    ".join(lines + [table.cell(problem) for problem in row.problems]),
            file=sys.stderr,
            flush=True,
        )
        return row

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        rows = list(pool.map(told, scenarios))
    text = table.table(rows)
    print(text, end="")
    if options.table:
        with open(options.table, "w", encoding="utf-8") as file:
            file.write(text)
    if options.into:
        table.put_into(options.into, machine.kind, text)
    broken = sum(bool(row.problems) for row in rows)
    skipped = sum(bool(row.skipped) for row in rows)
    print(f"{len(rows)} scenarios, {broken} break a promise, {skipped} skipped", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
