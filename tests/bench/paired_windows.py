# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Windows of a workload, alternately bare and profiled, for torch_overhead.py and loop_overhead.py.

A way is a word, a title and what profiles: a function that takes the Bench and returns a context
manager. The part of a word before its "-" says whose process it runs in: each profiler has one of
its own, since torch.profiler keeps CUPTI once it has had it.
"""
import argparse
import contextlib
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [
    os.path.join(HERE, "capture_overhead"),
    os.path.join(HERE, "..", "..", "tools", "python"),
]


class Cupti:
    """Parts of CUPTI (cupti_parts.cpp) whose callbacks do nothing."""

    def __init__(self, parts):
        self._parts = parts

    @contextlib.contextmanager
    def __call__(self, bench):
        if not bench.cupti.cupti_parts_start(self._parts):
            raise RuntimeError("CUPTI refuses it")
        try:
            yield
        finally:
            bench.cupti.cupti_parts_stop()


def _parts_of_cupti():
    """Each has besides what it adds all that the ones before it have."""
    parts = 0
    for bit, word, title in (
        (1, "kernels", "CUPTI's kernel records alone"),
        (2, "copies", "and those of copies and sets"),
        (64, "waits", "and of waits"),
        (128, "own", "and of CUPTI's own overhead"),
        (4, "runtime", "and callbacks of the runtime's launches"),
        (8, "driver", "and of the driver's"),
        (16 | 32, "graphs", "and of what makes graphs"),
    ):
        parts |= bit
        yield "cupti-" + word, (title, Cupti(parts))


CUPTI_WAYS = dict(_parts_of_cupti())


class Bench:
    """`step()` launches a step of the workload, `wait()` waits for it."""

    def __init__(self, options, step, wait):
        self._step = step
        self._wait = wait
        self._steps = options.steps
        self.path = os.path.join(options.scratch, "overhead.db")
        self.cupti = ctypes.CDLL(os.path.join(options.build, "bench", "libcupti_parts.so"))

    def window(self):
        """ms a step: the median, since other programs on the machine disturb some steps."""
        for _ in range(3):
            self._step()
        self._wait()
        times = []
        for _ in range(self._steps):
            before = time.perf_counter_ns()
            self._step()
            self._wait()
            times.append(time.perf_counter_ns() - before)
        return statistics.median(times) / 1e6

    def pair(self, profile):
        bare = self.window()
        with profile(self):
            profiled = self.window()
        return bare, profiled


def parse_options(name, doc, ways, steps):
    parser = argparse.ArgumentParser(
        prog=name, description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build", help="build folder (default: %(default)s)")
    parser.add_argument(
        "--pairs", type=int, default=15, help="pairs of windows (default: %(default)s)"
    )
    parser.add_argument(
        "--steps", type=int, default=steps, help="steps in a window (default: %(default)s)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=600,
        help="begin no round of pairs after this time, in each process" " (default: %(default)s)",
    )
    parser.add_argument("--ways", default=",".join(ways), help="of %(default)s")
    parser.add_argument("--scratch", help="folder for traces (default: a temporary one)")
    parser.add_argument("--json", help="write the time of every window there, too")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.ways = options.ways.split(",")
    unknown = [word for word in options.ways if word not in ways]
    if unknown or options.pairs < 1:
        parser.error("unknown way %s" % unknown[0] if unknown else "--pairs must be 1 or more")
    return options


def _measure(bench, ways, options):
    """{word: [(bare, profiled)]}; a way that does not work here is left out, with a line."""
    found = {word: [] for word in options.ways}
    for word in options.ways:  # Once for what each of them does only the first time.
        try:
            bench.pair(ways[word][1])
        except Exception as error:
            print("%s: left out: %s" % (word, error), file=sys.stderr)
            del found[word]
    start = time.monotonic()
    for number in range(options.pairs):
        if number != 0 and time.monotonic() - start > options.seconds:
            print(
                "%d of %d pairs in %g s" % (number, options.pairs, options.seconds), file=sys.stderr
            )
            break
        # Another order each round: who comes first must not matter.
        order = list(found)
        turn = number % max(1, len(order))
        for word in order[turn:] + order[:turn]:
            found[word].append(bench.pair(ways[word][1]))
    return found


def _print_table(found, ways):
    bare = [pair[0] for pairs in found.values() for pair in pairs]
    print("bare: %.3f ms a step (fastest window %.3f)" % (statistics.median(bare), min(bare)))
    print("| profiled | x bare | quartiles | fastest windows |")
    print("|---|---|---|---|")
    for word, pairs in found.items():
        ratios = [profiled / bare for bare, profiled in pairs]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        fastest = min(pair[1] for pair in pairs) / min(pair[0] for pair in pairs)
        print("| %s | %.3f | %.3f to %.3f | %.3f |" % (ways[word][0], middle, low, high, fastest))


def _measure_apart(options, words):
    """What _measure() finds in a new process."""
    path = os.path.join(options.scratch, "found.json")
    subprocess.run(
        [
            sys.executable,
            *sys.argv,
            "--child",
            path,
            "--ways",
            ",".join(words),
            "--scratch",
            options.scratch,
        ],
        check=True,
    )
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def run(name, doc, ways, steps, make_bench):
    """The whole program; make_bench(options) prepares the workload."""
    options = parse_options(name, doc, ways, steps)
    os.environ.setdefault("PROF_COLLECTOR", os.path.join(options.build, "lib", "libprof_inject.so"))
    if options.child:
        with open(options.child, "w", encoding="utf-8") as file:
            json.dump(_measure(make_bench(options), ways, options), file)
        return 0
    found = {}
    with tempfile.TemporaryDirectory(dir=options.scratch) as options.scratch:
        for owner in dict.fromkeys(word.split("-")[0] for word in options.ways):
            words = [word for word in options.ways if word.split("-")[0] == owner]
            found.update(_measure_apart(options, words))
    if any(found.values()):
        _print_table(found, ways)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file)
    return 0 if found else 1
