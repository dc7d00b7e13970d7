# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What torch's allocator says of the GPU's memory at the end of each step: an NVTX mark.

Only read: its peaks are those since the program's start, or since the program reset them.
"""
import os

from .json_text import json_text


def is_wanted(environment=os.environ):
    """By prof-run --trace memory. Of two words about the same, the last one counts."""
    words = environment.get("PROF_TRACE", "").split(",")
    asked = [word for word in words if word in ("memory", "no-memory")]
    return asked[-1:] == ["memory"]


class Allocator:
    """Tells of the current device, once a step, while the profiler listens and no CUDA graph is being
    captured."""

    def __init__(self, torch, nvtx, is_listened_to, is_capturing, warn):
        self._cuda = torch.cuda
        self._nvtx = nvtx
        self._is_listened_to = is_listened_to
        self._is_capturing = is_capturing
        self._warn = warn
        self._works = True  # some allocators have no statistics

    def report(self, step):
        """Never starts CUDA."""
        if not self._works or not self._cuda.is_initialized() or not self._is_listened_to():
            return
        try:
            if not self._is_capturing():
                self._nvtx.mark(self._text(step))
        except Exception as error:
            self._works = False
            self._warn("torch's allocator is not recorded: %s" % error)

    def _text(self, step):
        device = self._cuda.current_device()
        stats = self._cuda.memory_stats_as_nested_dict(device)
        allocated, reserved = stats["allocated_bytes"]["all"], stats["reserved_bytes"]["all"]
        return json_text(
            {
                "v": 1,
                "mod": "prof",
                "allocator": {
                    "device": device,
                    "step": step,
                    "allocated": allocated["current"],
                    "peak_allocated": allocated["peak"],
                    "reserved": reserved["current"],
                    "peak_reserved": reserved["peak"],
                    "retries": stats["num_alloc_retries"],
                },
            }
        )
