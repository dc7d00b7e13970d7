# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA, which nothing in these tests may start."""


def is_initialized():
    return _initialized


def _lazy_init():
    global _initialized
    _initialized = True


_initialized = False


def synchronize():
    _lazy_init()


def current_device():
    _lazy_init()
    return 0


def memory_stats_as_nested_dict(device):
    """As torch, nothing before CUDA has started."""
    return memory[device] if _initialized else {}


memory = {}  # by device
