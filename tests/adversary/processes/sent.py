# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Every signal, sent to the process that the user started."""
import concurrent.futures
import contextlib
import os
import signal
import time

from processes.compared import ended, same, wait_ready

# 32 and 33 are the C library's own, which takes them once a program has a second thread.
ALL = [number for number in range(1, 65) if number not in (32, 33)]
UNTAKEABLE = (signal.SIGKILL, signal.SIGSTOP)


def each_of(numbers, observe):
    def run(place):
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            seen = dict(zip(numbers, pool.map(lambda number: observe(place, number), numbers)))
        return {f"signal {number}": what for number, what in seen.items()}

    return run


def taken(place, number):
    process = place.start(place.probe("take", number))
    wait_ready(process)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, number)
    return ended(process)


def by_default(place, number):
    """What becomes of a process that does nothing about it: its status, stopped, or nothing."""
    process = place.start(place.probe("stay"))
    wait_ready(process)
    os.kill(process.pid, number)
    until, changed = time.monotonic() + 1.5, None
    while changed is None and time.monotonic() < until:
        info = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
        changed = (info.si_code, info.si_status) if info else None
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    ended(process)
    return changed


SCENARIOS = [
    same(
        "all signals, taken",
        "60 signals, each taken by sigwaitinfo: once, with its sender",
        each_of([number for number in ALL if number not in UNTAKEABLE], taken),
        quick=True,
    ),
    same(
        "all signals, by default",
        "62 signals: the wait status, or stopped, or nothing",
        each_of(ALL, by_default),
        quick=True,
    ),
]
