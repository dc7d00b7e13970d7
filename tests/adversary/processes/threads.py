# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Threads: thousands, short-lived ones, ones with tiny stacks."""
from processes.scenario import Scenario

SCENARIOS = [
    Scenario(
        "8,000 threads at once",
        "each annotates and launches",
        "work first; many_threads 8000 { push t; work k 3; pop; sleep 500 } sync; exit 7",
        seconds=180,
    ),
    Scenario(
        "8,000 threads in waves",
        "20 waves of 400",
        "work first; repeat 20 { threads 400 { push t; work k 3; pop } } sync; exit 7",
        seconds=120,
    ),
    Scenario(
        "1,000 threads",
        "at once",
        "work first; many_threads 1000 { push t; work k 3; pop } sync; exit 7",
        quick=True,
    ),
    Scenario(
        "8,000 threads before CUDA",
        "they only annotate; then CUDA starts",
        "many_threads 8000 { push t; mark m; pop } push a; work k 50; pop; sync; exit 7",
        seconds=120,
    ),
    Scenario(
        "threads of 16 KiB",
        "200 threads with stacks of 16 KiB annotate",
        "work first; tiny_threads 200 16 { push t; mark m; pop } work k 50; sync; exit 7",
        quick=True,
        machines=("standin",),
    ),
    Scenario(
        "threads of 24 KiB launch",
        "200 threads with stacks of 24 KiB annotate and launch",
        "work first; tiny_threads 200 24 { push t; work k 3; pop } sync; exit 7",
        machines=("standin",),
    ),
    Scenario(
        "ranges never closed",
        "400 threads end with ranges open",
        "work first; threads 400 { push t; push u; work k } sync; exit 7",
    ),
    Scenario(
        "deep ranges",
        "3,000 ranges open at once",
        "repeat 3000 { push d } work k 50; repeat 3000 { pop } sync; exit 7",
        may_lose="ranges are kept to a depth",
    ),
    Scenario(
        "long texts",
        "ranges of 200,000 letters",
        "repeat 20 { push x*200000; work k 2; pop } sync; exit 7",
        may_lose="texts are cut",
    ),
    Scenario(
        "graphs",
        "500 launches of a graph of 40 kernels",
        "capture g { launch n 40 } work_graph g 500 40; sync; exit 7",
        quick=True,
    ),
    Scenario(
        "graphs, cut",
        "the same, then _exit(3) after 2.5 s",
        "capture g { launch n 40 } work_graph g 500 40; sync; sleep 2500; _exit 3",
        cut=True,
    ),
]
