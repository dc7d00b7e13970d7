#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What profiling a PyTorch training step costs, by part and by profiler.

Windows of steps alternate: each one that is profiled has a bare one before it in the same process,
to which it is compared. Prints, for each way, the median of these ratios with its quartiles, and the
ratio of the fastest windows. The step is bound by launching kernels, which is the worst case. Each
profiler runs in a process of its own: torch.profiler keeps CUPTI once it has had it.

Needs a GPU, torch with CUDA, and a build of this project (--build).
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
sys.path[:0] = [os.path.join(HERE, "capture_overhead"),
                os.path.join(HERE, "..", "..", "tools", "python")]

#: The parts of CUPTI (cupti_parts.cpp).
KERNELS, OTHERS, RUNTIME, DRIVER, STATES, GRAPH_CALLS = 1, 2, 4, 8, 16, 32


class Cupti:
    """Parts of CUPTI whose callbacks do nothing."""

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


class Capture:
    """A capture of prof_torch's; `mode`: of the observer, to measure its parts."""

    def __init__(self, mode=None, **options):
        self._mode = mode
        self._options = options

    @contextlib.contextmanager
    def __call__(self, bench):
        import prof_torch
        from prof_torch import observer
        capture = prof_torch.capture(bench.path, force=True, **self._options)
        try:
            if self._options.get("ops", True) and self._options.get("observe", True):
                found, why = observer.start(bench.torch, True)
                if found is None:
                    raise RuntimeError("ops are not observed: " + why)
                if self._mode is not None:
                    found.switch(self._mode)
            yield
        finally:
            capture.stop()


def kineto(ops=False, **options):
    @contextlib.contextmanager
    def run(bench):
        profiler = bench.torch.profiler
        kinds = [profiler.ProfilerActivity.CUDA]
        if ops:
            kinds.append(profiler.ProfilerActivity.CPU)
        with profiler.profile(activities=kinds, **options):
            yield

    return run


@contextlib.contextmanager
def proton(bench):
    import triton.profiler
    triton.profiler.start(bench.path + ".proton")
    try:
        yield
    finally:
        triton.profiler.finalize()


#: {word: (title, what profiles)}. The part of a word before its "-" says whose process it is.
WAYS = {
    "cupti-kernels": ("CUPTI's kernel records alone", Cupti(KERNELS)),
    "cupti-records": ("and those of copies, sets and waits", Cupti(KERNELS | OTHERS)),
    "cupti-runtime": ("and callbacks of the runtime's launches",
                      Cupti(KERNELS | OTHERS | RUNTIME)),
    "cupti-driver": ("and of the driver's", Cupti(KERNELS | OTHERS | RUNTIME | DRIVER)),
    "cupti-states": ("callbacks of errors and graphs alone", Cupti(STATES)),
    "cupti-graph-calls": ("and of calls that make graphs", Cupti(STATES | GRAPH_CALLS)),
    "prof-launches": ("prof-run alone", Capture(layers=False, ops=False)),
    "prof-layers": ("layers", Capture(ops=False)),
    "prof-empty": ("observer: empty callbacks, arguments boxed", Capture(3, layers=False)),
    "prof-read": ("observer: arguments are read", Capture(4, layers=False)),
    "prof-ops": ("ops observed", Capture(layers=False)),
    "prof-marked": ("ops observed and layers", Capture()),
    "prof-emit_nvtx": ("ops by emit_nvtx and layers", Capture(observe=False)),
    "kineto-cuda": ("torch.profiler, CUDA alone", kineto()),
    "kineto-shapes": ("torch.profiler with shapes", kineto(ops=True, record_shapes=True)),
    "proton": ("Proton", proton),
}


class Bench:
    def __init__(self, options):
        import torch
        import torch_step
        self.torch = torch
        self.step = torch_step.make_step(options.layers)
        self.steps = options.steps
        self.path = os.path.join(options.scratch, "torch_overhead.db")
        self.cupti = ctypes.CDLL(os.path.join(options.build, "bench", "libcupti_parts.so"))

    def window(self):
        """ms a step: the median, since other programs on the machine disturb some steps."""
        for _ in range(3):
            self.step()
        self.torch.cuda.synchronize()
        times = []
        for _ in range(self.steps):
            before = time.perf_counter_ns()
            self.step()
            self.torch.cuda.synchronize()
            times.append(time.perf_counter_ns() - before)
        return statistics.median(times) / 1e6

    def pair(self, way):
        bare = self.window()
        with way(self):
            profiled = self.window()
        return bare, profiled


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="build folder (default: %(default)s)")
    parser.add_argument("--pairs", type=int, default=15,
                        help="pairs of windows (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=20,
                        help="steps in a window (default: %(default)s)")
    parser.add_argument("--layers", type=int, default=8,
                        help="layers of the model (default: %(default)s)")
    parser.add_argument("--ways", default=",".join(WAYS), help="of %(default)s")
    parser.add_argument("--scratch", help="folder for traces (default: a temporary one)")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--json", help="write the time of every window there, too")
    return parser.parse_args()


def measure(bench, words, pairs):
    """{way: [(bare, profiled)]}; a way that does not work here is left out, with a line."""
    found = {word: [] for word in words}
    for word in words:  # Once for what each of them does only the first time.
        try:
            bench.pair(WAYS[word][1])
        except Exception as error:
            print("torch_overhead.py: %s: left out: %s" % (word, error), file=sys.stderr)
            del found[word]
    for number in range(pairs):
        # Another order each round: who comes first must not matter.
        order = list(found)
        turn = number % max(1, len(order))
        for word in order[turn:] + order[:turn]:
            found[word].append(bench.pair(WAYS[word][1]))
    return found


def print_table(found):
    bare = [pair[0] for pairs in found.values() for pair in pairs]
    print("bare: %.3f ms a step (fastest window %.3f)" % (statistics.median(bare), min(bare)))
    print("| profiled | x bare | quartiles | fastest windows |")
    print("|---|---|---|---|")
    for word, pairs in found.items():
        ratios = [profiled / bare for bare, profiled in pairs]
        low, middle, high = (statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3)
        fastest = min(pair[1] for pair in pairs) / min(pair[0] for pair in pairs)
        print("| %s | %.3f | %.3f to %.3f | %.3f |" % (WAYS[word][0], middle, low, high, fastest))


def run_apart(options, words):
    """What measure() finds, in a new process."""
    path = os.path.join(options.scratch, "found.json")
    subprocess.run([sys.executable, os.path.abspath(__file__), "--child", path, "--build", options.build,
                    "--pairs", str(options.pairs), "--steps", str(options.steps),
                    "--layers", str(options.layers), "--ways", ",".join(words),
                    "--scratch", options.scratch], check=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    options = parse_options()
    options.build = os.path.abspath(options.build)
    words = options.ways.split(",")
    unknown = [word for word in words if word not in WAYS]
    if unknown or options.pairs < 1:
        print("torch_overhead.py: " + ("unknown way %s" % unknown[0] if unknown else
                                       "--pairs must be 1 or more"), file=sys.stderr)
        return 2
    os.environ.setdefault("PROF_COLLECTOR",
                          os.path.join(options.build, "lib", "libprof_inject.so"))
    if options.child:
        with open(options.child, "w", encoding="utf-8") as file:
            json.dump(measure(Bench(options), words, options.pairs), file)
        return 0
    found = {}
    with tempfile.TemporaryDirectory(dir=options.scratch) as options.scratch:
        for owner in dict.fromkeys(word.split("-")[0] for word in words):
            found.update(run_apart(options, [w for w in words if w.split("-")[0] == owner]))
    if found:
        print_table(found)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main())
