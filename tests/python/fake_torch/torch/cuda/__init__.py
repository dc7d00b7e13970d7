# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA starts when the program says so."""
_initialized = False
_queued_calls = []


def is_initialized():
    return _initialized


def _lazy_call(function):
    if _initialized:
        function()
    else:
        _queued_calls.append(function)


def init():
    global _initialized
    _initialized = True
    while _queued_calls:
        _queued_calls.pop(0)()
