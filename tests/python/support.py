# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests share: the package on the fake torch, and its NVTX calls as an indented listing."""
import os
import sys
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE_FOLDER = os.path.join(HERE, "..", "..", "tools", "python")
FAKE_TORCH_FOLDER = os.path.join(HERE, "fake_torch")
sys.path[:0] = [PACKAGE_FOLDER, FAKE_TORCH_FOLDER]

import prof_torch  # noqa: E402
import torch  # noqa: E402


def interruptions(action, *files):
    """Runs `action` over and over, each time with a KeyboardInterrupt after another call that one of
    the package's `files` makes, and yields how many of ours were interrupted; until none is."""

    def at(number):
        def profile(frame, event, _):
            nonlocal left
            if event == "return":
                frame = frame.f_back
            elif event != "c_return":
                return
            if frame is None or os.path.basename(frame.f_code.co_filename) not in files:
                return
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

        left = number
        sys.setprofile(profile)
        try:
            action()
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    number = 0
    while at(number):
        yield number
        number += 1


class AnnotatedTest(unittest.TestCase):
    """Each test begins with CUDA not started and no profiler on, and ends without a session."""

    def setUp(self):
        torch._C.log.clear()
        torch._C.state.profiler, torch._C.state.depth = None, 0
        torch.cuda._initialized = False
        self.addCleanup(prof_torch.stop)

    def listing(self):
        """Since the last call: pushes indented by their depth, starts and ends of the process's ranges."""
        lines, depth = [], 0
        for entry in torch._C.log:
            kind, _, text = entry.partition(" ")
            if kind == "push":
                lines.append("  " * depth + text.replace("layer:", "", 1))
                depth += 1
            elif kind == "pop":
                depth -= 1
                self.assertGreaterEqual(depth, 0, "more pops than pushes")
            elif kind in ("start", "end"):
                lines.append(entry)
        self.assertEqual(depth, 0, "more pushes than pops")
        torch._C.log.clear()
        return "\n".join(lines)

    def assert_listing(self, expected):
        self.assertEqual(self.listing(), textwrap.dedent(expected).strip("\n"))
