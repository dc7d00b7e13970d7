#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of NCCL (--trace nccl): what its plugin records, by each version of the interface, and that
the program does not notice. The program does what NCCL does with a plugin (nccl_commands.cpp)."""
import json
import os
import shutil
import unittest

import harness
from harness import SystemTest, main

VERSIONS = (1, 2, 3, 4, 5)
OPTIONS = ("--trace", "nccl,no-device")
ID = "f5f413c6880c9251"
COLUMNS = (
    "operation",
    "sequence",
    "rank",
    "ranks",
    "peer",
    "root",
    "bytes",
    "type",
    "algorithm",
    "protocol",
    "channels",
    "kernel",
)


class NcclTest(SystemTest):
    def recorded(self, script, options=OPTIONS, door="run", **more):
        run = self.run_app(script, door=door, options=options, **more)
        return run, run.trace()

    @staticmethod
    def calls(trace):
        """A dictionary for each record, in order, with the name of the kernel that ran it."""
        rows = trace.rows(
            "SELECT o.text, c.sequence, c.rank, c.ranks, c.peer, c.root, c.bytes, t.text, a.text,"
            " p.text, c.channels, n.text, c.communicator FROM collective c"
            " LEFT JOIN string o ON o.id = c.operation_id LEFT JOIN string t ON t.id = c.type_id"
            " LEFT JOIN string a ON a.id = c.algorithm_id"
            " LEFT JOIN string p ON p.id = c.protocol_id"
            " LEFT JOIN kernel k ON k.correlation = c.correlation"
            " LEFT JOIN launch_config l ON l.id = k.config_id"
            " LEFT JOIN string n ON n.id = l.name_id ORDER BY c.id"
        )
        for row in rows:
            assert row[-1] & (2**64 - 1) == int(ID, 16), row[-1]
        return [dict(zip(COLUMNS, row)) for row in rows]


class Recorded(NcclTest):
    def test_each_version(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                run, trace = self.recorded(
                    f"nccl {version} {ID} 3 8; nccl_call AllReduce 1000; nccl_call AllGather 500;"
                    " nccl_call AllReduce 1000; nccl_call Broadcast 10; nccl_call Send 100 5;"
                    " sync; nccl_end; exit 7",
                    options=("--force", *OPTIONS),
                    status=7,
                )
                self.assert_untouched(run, stdout="nccl: 6\n", lines=1)
                self.assert_counts(run, trace)
                calls = self.calls(trace)
                self.assertEqual(
                    [
                        ("AllReduce", 0),
                        ("AllGather", 0),
                        ("AllReduce", 1),
                        ("Broadcast", 0),
                        ("Send", 0 if version == 5 else None),
                    ],
                    [(call["operation"], call["sequence"]) for call in calls],
                )
                # Each has its own launch.
                self.assertEqual(
                    ["ncclDevKernel_" + call["operation"] for call in calls],
                    [call["kernel"] for call in calls],
                )
                self.assertEqual({3}, {call["rank"] for call in calls})
                self.assertEqual({8 if version >= 4 else None}, {call["ranks"] for call in calls})
                self.assertEqual([None, None, None, 0, None], [call["root"] for call in calls])
                self.assertEqual([None] * 4 + [5], [call["peer"] for call in calls])
                self.assertEqual([4000, 2000, 4000, 40, 400], [call["bytes"] for call in calls])
                self.assertEqual({"ncclFloat32"}, {call["type"] for call in calls})
                self.assertEqual(
                    ("RING", "SIMPLE", 16),
                    (calls[0]["algorithm"], calls[0]["protocol"], calls[0]["channels"]),
                )
                self.assertEqual(f"version {version}", trace.meta()["nccl_plugin"])

    def test_a_later_version_finds_nothing(self):
        run, trace = self.recorded(
            f"nccl 7 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end; exit 7", status=7
        )
        self.assert_untouched(run, stdout="nccl: none\n", lines=1)
        self.assertEqual([], self.calls(trace))
        self.assertEqual("no NCCL has loaded libprof_nccl.so", trace.meta()["nccl_plugin"])

    def test_messages_are_numbered_by_pair_and_way(self):
        _, trace = self.recorded(
            f"nccl 5 {ID} 1 4; nccl_call Send 8 0; nccl_call Send 8 2; nccl_call Send 8 0;"
            " nccl_call Recv 8 0; nccl_group Send:2 Recv:0; sync; nccl_end"
        )
        self.assertEqual(
            [
                ("Send", 0, 0),
                ("Send", 2, 0),
                ("Send", 0, 1),
                ("Recv", 0, 0),
                ("Send", 2, 1),
                ("Recv", 0, 1),
            ],
            [(call["operation"], call["peer"], call["sequence"]) for call in self.calls(trace)],
        )

    def test_calls_of_a_group_have_one_launch(self):
        run, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_group AllReduce AllReduce AllGather; sync; nccl_end"
        )
        self.assert_counts(run, trace)
        self.assertEqual(3, len(self.calls(trace)))
        self.assertEqual(1, trace.one("SELECT count(DISTINCT correlation) FROM collective"))

    def test_callbacks_have_no_launch(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                _, trace = self.recorded(
                    f"nccl {version} {ID} 0 2; nccl_call AllReduce 8; nccl_replay AllReduce;"
                    " nccl_call AllReduce 8; sync; nccl_end",
                    options=("--force", *OPTIONS),
                )
                # NCCL before 2.26 counts what it replays.
                expected = [0, None] if version < 3 else [0, 2]
                self.assertEqual(expected, [call["sequence"] for call in self.calls(trace)])

    def test_captured_calls_are_not_recorded(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                run, trace = self.recorded(
                    f"nccl {version} {ID} 0 2; nccl_call AllReduce 8;"
                    " capture g { nccl_captured AllReduce; nccl_call AllReduce 8 }"
                    " replay g 3; nccl_call AllGather 8; sync; nccl_end",
                    options=("--force", *OPTIONS),
                )
                self.assert_counts(run, trace)
                self.assertEqual(
                    ["AllReduce", "AllGather"], [call["operation"] for call in self.calls(trace)]
                )

    def test_messages_are_not_counted_after_a_capture(self):
        _, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_call Send 8 1; nccl_captured AllReduce; nccl_call Send 8 1;"
            " nccl_call AllReduce 8; sync; nccl_end"
        )
        self.assertEqual([0, None, 0], [call["sequence"] for call in self.calls(trace)])

    def test_threads(self):
        run, trace = self.recorded(
            f"nccl 5 {ID} 0 2; many_threads 50 {{ launch other; nccl_call AllReduce 8 }}"
            " sync; nccl_end; exit 7",
            status=7,
        )
        self.assert_no_loss(trace)
        calls = self.calls(trace)
        self.assertEqual(50, len(calls))
        self.assertEqual({"ncclDevKernel_AllReduce"}, {call["kernel"] for call in calls})

    def test_windows(self):
        _, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; push step:1; nccl_call AllReduce 8; sync;"
            " pop; nccl_call AllReduce 8; push step:2; nccl_call AllReduce 8; sync; pop; nccl_end",
            options=(*OPTIONS, "--capture", "steps:1,2"),
        )
        self.assertEqual([1, 3], [call["sequence"] for call in self.calls(trace)])

    def test_without_launches(self):
        run, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end",
            options=(*OPTIONS, "--api", "none"),
        )
        self.assertIn("no calls of NCCL are recorded: --api none", run.stderr)
        self.assertEqual([], self.calls(trace))


class Matched(NcclTest):
    """What reports make of the numbers, of two ranks with windows that differ."""

    @staticmethod
    def call(function, *peer):
        return f"push nccl{function} NCCL; nccl_call {function} 8 {' '.join(peer)}; pop NCCL; "

    @staticmethod
    def group(*calls):
        ranges = "".join(f"push nccl{call.partition(':')[0]} NCCL; pop NCCL; " for call in calls)
        return (
            f"push ncclGroupStart NCCL; pop NCCL; {ranges}push ncclGroupEnd NCCL;"
            f" nccl_group {' '.join(calls)}; pop NCCL; "
        )

    def capture(self, rank):
        message = self.call("Send", "1") if rank == 0 else self.call("Recv", "0")
        work = (
            self.call("AllReduce")
            + self.call("AllGather")
            + message
            + self.group(f"Recv:{1 - rank}", f"Send:{1 - rank}")
        )
        steps = "".join(f"push step:{step}; launch k; {work}sync; pop; " for step in range(6))
        self.trace_path = os.path.join(self.folder, f"rank{rank}.db")
        self.run_app(
            f"nccl 5 {ID} {rank} 2; {steps}nccl_end",
            door="run",
            options=(*OPTIONS, "--capture", f"steps:{rank}..{4 + rank}"),
            RANK=str(rank),
            LOCAL_RANK=str(rank),
            WORLD_SIZE="2",
        )

    def test_two_ranks(self):
        for rank in (0, 1):
            self.capture(rank)
        self.trace_path = self.folder
        done = self.report("-r", "collectives", "-f", "json", "-c", "op,step,sequence")
        found = {}
        for row in json.loads(done.stdout):
            found.setdefault(row["op"], []).append((row["step"], row["sequence"]))
        steps = range(1, 5)  # which both have
        # Rank 0 sends rank 1 two messages in a step, the second one in a group.
        self.assertEqual(
            {
                "all_reduce": [(step, step) for step in steps],
                "all_gather": [(step, step) for step in steps],
                "send": [(step, 2 * step) for step in steps],
                "send_recv": [(step, 2 * step + 1) for step in steps],
            },
            found,
        )
        self.assertNotIn("estimate,", done.stderr)


class Harmless(NcclTest):
    def test_a_child_records_nothing(self):
        # A replay makes a thread: TSan ends a child whose threads have ids of its parent's, and
        # ASan's allocator keeps the locks that others held at the fork.
        replay = "" if harness.SANITIZER else "nccl_replay AllReduce; "
        run, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; fork {{ {replay}nccl_end }}"
            " nccl_call AllReduce 8; sync; nccl_end; exit 7",
            status=7,
        )
        self.assert_untouched(run, stdout="nccl: 6\n", lines=1)
        self.assertEqual([0, 1], [call["sequence"] for call in self.calls(trace)])

    def test_exits_without_an_end(self):
        # _exit ends no capture: what is there by then was written before.
        for end, status in (("exit 7", 7), ("quick_exit 8", 8), ("sleep 1500; _exit 9", 9)):
            with self.subTest(end=end):
                _, trace = self.recorded(
                    f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; {end}",
                    options=("--force", *OPTIONS),
                    status=status,
                )
                if status != 9:
                    self.assertEqual(1, len(self.calls(trace)))

    def test_communicators_come_and_go(self):
        _, trace = self.recorded(
            f"repeat 20 {{ nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end }}"
        )
        self.assertEqual([0] * 20, [call["sequence"] for call in self.calls(trace)])

    def test_without_a_collector(self):
        run = self.run_app(
            f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end; exit 7",
            door="none",
            status=7,
            NCCL_PROFILER_PLUGIN=harness.NCCL,
        )
        self.assertEqual(("nccl: 0\n", ""), (run.stdout, run.stderr))

    def test_a_capture_that_does_not_ask(self):
        run, trace = self.recorded(
            f"nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end",
            door="preload",
            options=(),
            NCCL_PROFILER_PLUGIN=harness.NCCL,
        )
        self.assert_untouched(run, stdout="nccl: 6\n", lines=1)
        self.assertEqual([], self.calls(trace))
        self.assertNotIn("nccl_plugin", trace.meta())

    def test_a_collector_that_the_driver_loads(self):
        script = f"launch k; nccl 5 {ID} 0 2; nccl_call AllReduce 8; sync; nccl_end"
        _, trace = self.recorded(
            script,
            door="injection",
            options=(),
            PROF_TRACE="nccl,no-device",
            NCCL_PROFILER_PLUGIN=harness.NCCL,
        )
        self.assertEqual([0], [call["sequence"] for call in self.calls(trace)])


class Off(NcclTest):
    SHOW = 'run "echo plugin ${NCCL_PROFILER_PLUGIN-unset}"; launch k; sync'

    def test_the_variable(self):
        for options, expected in (
            ((), "unset"),
            (OPTIONS, harness.NCCL),
            (("--trace", "nccl,no-nccl"), "unset"),
        ):
            with self.subTest(options=options):
                run = self.run_app(self.SHOW, door="run", options=("--force", *options))
                self.assertEqual(f"plugin {expected}\n", run.stdout)

    def test_the_users_own_plugin_stays(self):
        run = self.run_app(self.SHOW, door="run", options=OPTIONS, NCCL_PROFILER_PLUGIN="inspector")
        self.assertEqual("plugin inspector\n", run.stdout)
        self.assertIn("NCCL_PROFILER_PLUGIN=inspector: is set: NCCL loads that plugin", run.stderr)
        self.assert_untouched(run, stdout="plugin inspector\n", lines=2)

    def test_without_the_library(self):
        folder = os.path.join(self.folder, "alone")
        os.mkdir(folder)
        shutil.copy(harness.INJECT, folder)
        run = self.run_app(
            "out ran",
            door="run",
            options=OPTIONS,
            status=1,
            PROF_COLLECTOR=os.path.join(folder, "libprof_inject.so"),
        )
        self.assertEqual("", run.stdout)
        self.assertIn("libprof_nccl.so is not beside the collector", run.stderr)


if __name__ == "__main__":
    main()
