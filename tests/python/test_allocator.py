# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What torch's allocator tells at the end of each step."""
import json
import os
import unittest
from unittest import mock

from support import AnnotatedTest, prof_torch, torch
from torch import nn


def stats(allocated, peak, reserved):
    return {
        "allocated_bytes": {"all": {"current": allocated, "peak": peak}},
        "reserved_bytes": {"all": {"current": reserved, "peak": reserved}},
        "num_alloc_retries": 2,
    }


class AllocatorMarks(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(torch.cuda.memory.clear)

    def run_steps(self, words="device,memory", count=2, starts_cuda=True, **options):
        """Steps that each take 100 bytes more; the marks, and the log without their texts."""
        with mock.patch.dict(os.environ, PROF_TRACE=words):
            prof_torch.start(**options)
        model, optimizer = nn.Sequential(nn.Linear()), torch.optim.Adam()
        for step in range(count):
            if starts_cuda:
                torch.cuda._lazy_init()
            torch.cuda.memory[0] = stats(100 + step, 150 + step, 1000)
            model(1)
            optimizer.step()
        prof_torch.stop()
        return [json.loads(entry[5:]) for entry in torch._C.log if entry.startswith("mark ")]

    def test_each_step_ends_with_one(self):
        marks = self.run_steps()
        self.assertEqual(
            marks[0],
            {
                "v": 1,
                "mod": "prof",
                "allocator": {
                    "device": 0,
                    "step": 0,
                    "allocated": 100,
                    "peak_allocated": 150,
                    "reserved": 1000,
                    "peak_reserved": 1000,
                    "retries": 2,
                },
            },
        )
        self.assertEqual(
            [(mark["allocator"]["step"], mark["allocator"]["allocated"]) for mark in marks],
            [(0, 100), (1, 101), (2, 101)],
        )
        kinds = [
            entry.split(" {")[0]
            for entry in torch._C.log
            if entry.startswith(("mark", "start", "end")) and " call:" not in entry
        ]
        self.assertEqual(
            kinds,
            [
                "start step:0",
                "mark",
                "end step:0",
                "start step:1",
                "mark",
                "end step:1",
                "start step:2",
                "mark",
                "end step:2",
            ],
        )

    def test_steps_whose_modules_are_not_marked_have_theirs(self):
        marks = self.run_steps(count=8, mark_every=4)
        self.assertEqual([mark["allocator"]["step"] for mark in marks], list(range(9)))

    def test_only_if_asked_for(self):
        for words in ("", "device", "memory,no-memory", "memorys"):
            with self.subTest(words=words):
                self.assertEqual(self.run_steps(words), [])

    def test_cuda_is_never_started(self):
        self.assertEqual(self.run_steps(starts_cuda=False), [])
        self.assertFalse(torch.cuda.is_initialized())

    def test_not_in_a_graph_s_capture(self):
        with mock.patch.object(
            torch.cuda, "is_current_stream_capturing", lambda: True, create=True
        ):
            self.assertEqual(self.run_steps(), [])

    def test_an_allocator_without_statistics_is_left_alone(self):
        def refuse(device):
            refuse.calls += 1
            raise RuntimeError("not supported")

        refuse.calls = 0
        with mock.patch.object(torch.cuda, "memory_stats_as_nested_dict", refuse), mock.patch(
            "prof_torch.session.print_message"
        ) as message:
            self.assertEqual(self.run_steps(), [])
        self.assertEqual(refuse.calls, 1)
        message.assert_called_once_with("torch's allocator is not recorded: not supported")


if __name__ == "__main__":
    unittest.main()
