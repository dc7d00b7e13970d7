# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""NVTX and the state that torch keeps by thread."""
import threading
import types

log = []  # "push TEXT", "pop", "start TEXT", "end TEXT", "mark TEXT"
ranges = {}


class _State(threading.local):
    grad_enabled = True
    profiler = None  # the kind that is on in this thread
    depth = 0  # of its ranges


state = _State()


def _push(text):
    log.append("push " + text)
    state.depth += 1
    return state.depth - 1


def _pop():
    log.append("pop")
    state.depth -= 1
    return state.depth


def _start(text):
    log.append("start " + text)
    handle = max(ranges, default=0) + 1
    ranges[handle] = text
    return handle


def _end(handle):
    log.append("end " + ranges.pop(handle))


_nvtx = types.SimpleNamespace(
    rangePushA=_push,
    rangePop=_pop,
    rangeStartA=_start,
    rangeEnd=_end,
    markA=lambda text: log.append("mark " + text),
)
_profiler = types.SimpleNamespace(
    _ExperimentalConfig=lambda: None, ActiveProfilerType=types.SimpleNamespace(NVTX="nvtx")
)
_autograd = types.SimpleNamespace(_profiler_type=lambda: getattr(state.profiler, "_state", None))

#: Code and what Dynamo does with its frames and those that they call.
strategies = {}
_dynamo = types.SimpleNamespace(
    eval_frame=types.SimpleNamespace(
        _FrameAction=types.SimpleNamespace(SKIP="skip", DEFAULT="default"),
        _FrameExecStrategy=lambda own, called: (own, called),
        set_code_exec_strategy=strategies.__setitem__,
    )
)
