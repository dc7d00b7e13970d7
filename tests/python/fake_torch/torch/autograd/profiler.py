# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
from .. import _C

_is_profiler_enabled = False


def _set_is_profiler_enabled(enable):
    global _is_profiler_enabled
    _is_profiler_enabled = enable


def _run_on_profiler_start():
    _set_is_profiler_enabled(True)


def _run_on_profiler_stop():
    _set_is_profiler_enabled(False)


class ProfilerState:
    NVTX = "nvtx"
    KINETO = "kineto"


class ProfilerConfig:
    """Shows nothing of what it was made from, as torch's own."""

    def __init__(self, state, shapes, *others):
        self._state = state
        self._shapes = shapes


def _prepare_profiler(config, activities):
    _check(config)


def _enable_profiler(config, activities):
    _check(config)
    _C.state.profiler = config


def _check(config):
    if _C.state.profiler is not None:
        raise RuntimeError("a profiler is on already in this thread")


def _disable_profiler():
    if _C.state.profiler is None:
        raise RuntimeError("no profiler is on in this thread")
    _C.state.profiler = None


class record_function:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        _C.log.append("op " + self.name)
        return self

    def __exit__(self, *error):
        _C.log.append("op end")
