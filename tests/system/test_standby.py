#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA graphs that were made before a capture: before the first one, between two, in an earlier one."""
import json
import os

import trace_db
from harness import LINKED_APP, SystemTest, main, unless_sanitized

MADE = "push layer:made; capture g { launch k_in } pop; "


class Standby(SystemTest):
    def linked(self, script, door="none", **options):
        run = self.run_app(script, door, app=LINKED_APP, **options)
        self.assertNotIn("CUPTI", run.stderr)
        return run

    def trace(self, name="one.db"):
        return trace_db.Trace(os.path.join(self.folder, name))

    def stacks(self, trace):
        """{(graph, is a clone): the stacks of its nodes}"""
        ranges, found = trace.ranges(), {}
        for graph, original, stack in trace.rows(
            "SELECT graph, original_node, range_id FROM graph_node ORDER BY graph_node"
        ):
            found.setdefault((graph, original != 0), []).append(tuple(trace.stack(stack, ranges)))
        return found

    def layers(self, name="one.db"):
        self.trace_path = os.path.join(self.folder, name)
        return [row["layer"] for row in self.kernels_of_report()]

    def test_before_the_first_capture(self):
        run = self.linked(
            "prof_standby; push outer; "
            + MADE
            + "replay g; prof_start one.db; replay g 2; prof_stop"
        )
        self.assertEqual("standby: done\nstart: done\nstop: done\n", run.stdout)
        trace = self.trace()
        self.assertEqual({"k_in": 2}, trace.kernels_by_name())
        self.assertEqual([("outer", "layer:made")], self.stacks(trace)[1, False])
        self.assertEqual(["made", "made"], self.layers())
        self.assert_no_loss(trace)

    def test_without_a_standby_they_are_unknown(self):
        self.linked(MADE + "prof_start one.db; replay g 2; prof_stop")
        self.assertEqual(0, self.trace().one("SELECT count(*) FROM graph_node"))

    def test_graphs_of_an_earlier_capture_and_between(self):
        self.linked(
            "prof_start one.db; "
            + MADE
            + "replay g; prof_stop; push layer:between; capture h { launch k_h } pop; "
            "replay h; prof_start two.db; replay g; replay h; prof_stop; prof_start three.db; replay h; replay g; prof_stop",
            PROF_BETWEEN="light",
        )
        self.assertEqual(["made"], self.layers("one.db"))
        self.assertEqual(["made", "between"], self.layers("two.db"))
        self.assertEqual(["between", "made"], self.layers("three.db"))
        for name in ("one.db", "two.db", "three.db"):
            self.assert_no_loss(self.trace(name))

    def test_nested_ranges_are_told_to_each_capture(self):
        self.linked(
            "prof_standby; push layer:a; push layer:b; push layer:c; push layer:d; "
            + MADE
            + "pop; pop; pop; pop; "
            "prof_start one.db; replay g; prof_stop; prof_start two.db; replay g; prof_stop; "
            "prof_start three.db; replay g; prof_stop",
            PROF_BETWEEN="light",
        )
        for name in ("one.db", "two.db", "three.db"):
            self.assertEqual(["a:b:c:d:made"], self.layers(name))

    def test_updates_between_captures(self):
        self.linked(
            "prof_standby; "
            + MADE
            + "replay g; push layer:other; capture o { launch k_in } pop; update g o; "
            "prof_start one.db; replay g; prof_stop"
        )
        self.assertEqual(["other"], self.layers())

    def test_graphs_that_are_gone_are_not_told(self):
        self.linked(
            "prof_standby; "
            + MADE
            + "replay g; drop g; sleep 1100; prof_start one.db; launch k; prof_stop"
        )
        trace = self.trace()
        self.assertEqual(0, trace.one("SELECT count(*) FROM graph_node"))
        self.assertEqual(0, trace.one("SELECT count(*) FROM range"))

    def test_children_and_bodies(self):
        self.linked(
            "prof_standby; push layer:child; node c k_c; pop; push layer:body; push layer:top; node g k_a; pop; "
            "child g c; loop g 2 { launch k_b } pop; replay g; prof_start one.db; replay g; prof_stop"
        )
        self.assertEqual(
            {"k_a": ["body:top"], "k_b": ["body"] * 2, "k_c": ["child"]}, self.layers_by_kernel()
        )
        self.assertNotIn("pieces of work in graphs", " ".join(self.report().stdout.split()))

    def layers_by_kernel(self, name="one.db"):
        """Of kernels whose launch was recorded; around a start and an end others may run."""
        self.trace_path = os.path.join(self.folder, name)
        found = {}
        for row in self.kernels_of_report():
            if row["thread"] is not None or row["layer"] is not None:
                found.setdefault(row["kernel"], []).append(row["layer"])
        return {kernel: sorted(layers, key=str) for kernel, layers in found.items()}

    def test_ranges_over_the_boundary(self):
        # The range is open when the graph is made, when the capture starts, and after its end.
        self.linked(
            "prof_standby; push layer:root; push layer:made; capture g { launch k_in } prof_start one.db; launch k; "
            "replay g; pop; pop; prof_stop"
        )
        self.assertEqual({"k_in": ["root:made"], "k": ["root:made"]}, self.layers_by_kernel())
        # Once as it was before the capture, once as it is in it.
        self.assertEqual(
            ["layer:made"] * 2 + ["layer:root"] * 2,
            sorted(row[2] for row in self.trace().ranges().values()),
        )
        for report in ("ranges", "nvtx_sum"):
            shown = json.loads(self.report("-r", report, "-f", "json").stdout)
            self.assertEqual(2, len(shown), shown)
        self.assertEqual(
            2, self.trace().one("SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59")
        )

    def test_a_refused_start_ends_no_standby(self):
        open(os.path.join(self.folder, "there.db"), "w", encoding="ascii").close()
        run = self.linked(
            "prof_standby; prof_start there.db; "
            + MADE
            + "prof_start nowhere/x.db; prof_start one.db; prof_standby; "
            "replay g; prof_stop; prof_standby"
        )
        self.assertEqual(["made"], self.layers())
        self.assertEqual(
            ["standby: done", "start: the", "start: the", "start: done", "standby: a"],
            [" ".join(line.split()[:2]).rstrip(":") for line in run.stdout.splitlines()[:5]],
        )

    def test_a_variable_for_programs_that_start_captures_themselves(self):
        self.linked(
            MADE + "prof_start one.db; replay g; prof_stop",
            "preload",
            PROF_START="manual",
            PROF_BETWEEN="light",
        )
        self.assertEqual(["made"], self.layers())

    def test_many_captures(self):
        script = "".join(
            f"push layer:l{i}; capture g{i} {{ launch k }} pop; prof_start s{i}.db; "
            f"replay g{i}; replay g{i // 2}; prof_stop; "
            for i in range(40)
        )
        self.linked("prof_standby; " + script)
        for i in range(40):
            self.assertEqual([f"l{i}", f"l{i // 2}"], self.layers(f"s{i}.db"))
            self.assertEqual(
                2 * (i + 1), self.trace(f"s{i}.db").one("SELECT count(*) FROM graph_node")
            )

    def test_threads(self):
        self.linked(
            "prof_standby; threads 8 { push a; launch k; pop } "
            + MADE
            + "prof_start one.db; threads 4 { replay g 5 } prof_stop"
        )
        self.assertEqual(["made"] * 20, self.layers())

    def test_what_happens_while_captures_start_and_end_is_known(self):
        windows = "".join(
            f"prof_start s{i}.db; replay g; replay h; sleep 2; prof_stop; " for i in range(30)
        )
        self.linked(
            "prof_standby; " + MADE + "push layer:first; capture h { launch k_h } pop; replay h; "
            "beside { repeat 400 { push layer:aside; capture b { launch k_b } pop; replay b; drop b; sleep 1 } } "
            "sleep 5; " + windows + "join"
        )
        for i in range(30):
            layers = self.layers_by_kernel(f"s{i}.db")
            self.assertEqual((["made"], ["first"]), (layers["k_in"], layers["k_h"]))
            self.assertLessEqual(set(layers.get("k_b", [])), {"aside"}, (i, layers))
            self.assert_no_loss(self.trace(f"s{i}.db"))

    @unless_sanitized("tsan", "forks a program with threads")
    def test_a_fork_between_captures(self):
        run = self.linked(
            "prof_standby; "
            + MADE
            + "fork { prof_start child.db; launch k } prof_start one.db; replay g; prof_stop"
        )
        self.assertEqual(["made"], self.layers())
        self.assertIn("fork", run.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "child.db")))


if __name__ == "__main__":
    main()
