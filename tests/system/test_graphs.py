#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What is recorded of CUDA graphs: nodes with their types and kernels, executables, embedded
graphs, updates, launches, ends."""
import csv
import io
import os
import subprocess

from harness import BUILD, SystemTest, main, unless_sanitized

KERNEL, COPY, SET, CHILD, CONDITIONAL = 0, 1, 2, 4, 13


class Graphs(SystemTest):
    def record(self, script, **options):
        run = self.run_app(script, **options)
        self.assert_counts(run)
        self.assert_untouched(run)
        return run.trace()

    def nodes(self, trace, graph):
        """[(type, name of the kernel, grid x, stack)] of the program's own nodes, in order."""
        ranges = trace.ranges()
        rows = trace.rows(
            "SELECT node_type, coalesce(s.text, ''), grid_x, range_id FROM graph_node"
            " LEFT JOIN string s ON s.id = function_id AND s.id <> 0 WHERE graph = ? AND original_node = 0"
            " ORDER BY graph_node",
            graph,
        )
        return [
            (kind, name, grid, tuple(trace.stack(stack, ranges)))
            for kind, name, grid, stack in rows
        ]

    def test_captured_nodes_have_types_and_kernels(self):
        for mode in ("none", "launch", "all"):
            trace = self.record(
                "capture g { push in; launch k_a; set; copy_async dtod; pop; "
                "launch k_b 1 cuLaunchKernelEx } replay g 3",
                PROF_API=mode,
                PROF_FORCE="1",
            )
            self.assertEqual(
                [
                    (KERNEL, "k_a", 3, ("in",)),
                    (SET, "", 0, ("in",)),
                    (COPY, "", 0, ("in",)),
                    (KERNEL, "k_b", 3, ()),
                ],
                self.nodes(trace, 1),
            )
            # The profiler's own questions are no calls of the program.
            self.assertEqual(
                0,
                trace.one("SELECT count(*) FROM string" " WHERE text LIKE '%KernelNodeGetParams%'"),
            )

    def test_copies_have_their_originals_and_types(self):
        trace = self.record("capture g { launch k_a; set } replay g")
        self.assertEqual(
            [(KERNEL, 1 << 32, 0, 0), (SET, 1 << 32 | 1, 0, 0)],
            trace.rows(
                "SELECT node_type, original_node, function_id, grid_x FROM graph_node"
                " WHERE graph = 2 ORDER BY graph_node"
            ),
        )

    def test_added_nodes_have_kernels(self):
        trace = self.record("push making; node g k_a; node g k_b; pop; replay g 2")
        self.assertEqual(
            [(KERNEL, "k_a", 3, ("making",)), (KERNEL, "k_b", 3, ("making",))], self.nodes(trace, 1)
        )

    def test_long_names(self):
        fits, too_long = "k" * 16384, "k" * 16385
        trace = self.run_app(f"node g {fits}; node g {too_long}; replay g").trace()
        self.assertEqual([fits, ""], [node[1] for node in self.nodes(trace, 1)])
        self.assertEqual(1, trace.losses()["text_truncated"])

    def test_embedded_graphs_end_while_their_executable_is_made(self):
        trace = self.record(
            "capture c { launch k_in } node d k_d; child d c; "
            "node g k_a; child g d; child g c; node g k_z; replay g 2"
        )
        ((graph, exec_id, thread, start, duration),) = trace.rows(
            "SELECT graph, graph_exec, thread_id, start_ns, duration_ns FROM graph_exec"
            " ORDER BY graph_exec DESC LIMIT 1"
        )
        self.assertEqual(
            [CHILD, CHILD], [row[0] for row in self.nodes(trace, graph) if row[0] != KERNEL]
        )
        ended = [
            row[0]
            for row in trace.rows(
                "SELECT graph FROM graph_end WHERE thread_id = ? AND time_ns BETWEEN ? AND ?"
                " ORDER BY rowid",
                thread,
                start,
                start + duration,
            )
        ]
        self.assertEqual(3, len(ended))
        # Their nodes follow the executable's own, in the order in which they end.
        outer = trace.rows("SELECT graph_node FROM graph_node WHERE graph = ?", exec_id)
        number, origin = len(outer), {}
        for graph_id in ended:
            for (node,) in trace.rows(
                "SELECT original_node FROM graph_node WHERE graph = ?" " ORDER BY graph_node",
                graph_id,
            ):
                origin[exec_id << 32 | number] = self.first_original(trace, node)
                number += 1
        found = dict(
            trace.rows(
                "SELECT o.graph_node, s.text FROM kernel k JOIN work_origin o ON o.id = k.origin_id"
                " JOIN launch_config c ON c.id = k.config_id JOIN string s ON s.id = c.name_id"
                " WHERE o.origin = 1 AND o.graph = ?",
                exec_id,
            )
        )
        inner = {node: name for node, name in found.items() if node in origin}
        self.assertEqual(3, len(inner))
        names = dict(
            trace.rows(
                "SELECT n.graph_node, s.text FROM graph_node n"
                " JOIN string s ON s.id = n.function_id"
            )
        )
        self.assertEqual(inner, {node: names[origin[node]] for node in inner})

    @staticmethod
    def first_original(trace, node):
        while True:
            original = trace.one("SELECT original_node FROM graph_node WHERE graph_node = ?", node)
            if original == 0:
                return node
            node = original

    def test_loops_tell_their_launches(self):
        trace = self.record("node g k_a; loop g 3 { launch k_body } replay g 2")
        self.assertEqual([(KERNEL, "k_a", 3, ()), (CONDITIONAL, "", 0, ())], self.nodes(trace, 1))
        self.assertEqual([(KERNEL, "k_body", 3, ())], self.nodes(trace, 2))
        exec_id = trace.one("SELECT graph_exec FROM graph_exec")
        self.assertEqual(
            [(exec_id,)] * 2,
            trace.rows(
                "SELECT g.graph_exec FROM graph_launch g JOIN api_call a USING (correlation)"
                " WHERE a.thread_id = g.thread_id AND a.depth = 0"
            ),
        )
        self.assertEqual(6, trace.one("SELECT count(*) FROM kernel WHERE correlation = 0"))
        # CUDA's own nodes in the executable have no kernel that is known.
        self.assertEqual([(KERNEL, "", 0, ())] * 2, self.nodes(trace, exec_id))

    def test_other_programs_tell_no_launches(self):
        trace = self.record("capture g { launch k_a } replay g 5")
        self.assertEqual(0, trace.one("SELECT count(*) FROM graph_launch"))

    def updates(self, trace):
        ranges = trace.ranges()
        return [
            (node, like, tuple(trace.stack(stack, ranges)))
            for node, like, stack in trace.rows(
                "SELECT graph_node, like_node, range_id FROM graph_update ORDER BY id"
            )
        ]

    def test_updates(self):
        trace = self.record(
            "capture g { launch k_a; launch k_b } capture h { launch k_c; launch k_d } "
            "capture other { launch k_c; set } "
            "push up; update g h; update g other; pop; replay g; "
            "push set; set_exec g 0 9; set_node g 1 7; pop; replay g 2"
        )
        g, h = trace.rows("SELECT graph, graph_exec FROM graph_exec ORDER BY graph_exec")[:2]
        node = lambda graph, index: graph << 32 | index
        self.assertEqual(
            [
                (node(g[1], 1), node(h[0], 1), ("up",)),
                (node(g[1], 0), node(h[0], 0), ("up",)),
                (node(g[1], 0), 0, ("set",)),
                (node(g[0], 1), 0, ("set",)),
            ],
            self.updates(trace),
        )
        self.assertNotIn("graph_updates", trace.meta())

    def test_updates_of_child_graphs(self):
        trace = self.record(
            "capture c { launch k_a } capture d { launch k_b } "
            "node g k_g; child g c; replay g; node h k_h; child h d; update g h; replay g"
        )
        updated = [node & 0xFFFFFFFF for node, _, _ in self.updates(trace)]
        self.assertEqual([2, 0], updated)

    def test_ends(self):
        trace = self.record("capture g { launch k_a } replay g; drop g; launch k_b")
        ((graph, exec_id, end),) = trace.rows(
            "SELECT graph, graph_exec, start_ns + duration_ns FROM graph_exec"
        )
        ends = dict(trace.rows("SELECT graph, time_ns FROM graph_end"))
        self.assertLessEqual({graph, exec_id}, set(ends))
        self.assertLessEqual(end, ends[exec_id])
        self.assertLessEqual(ends[exec_id], ends[graph])

    def test_older_cupti_tells_no_updates_and_says_so(self):
        trace = self.record(
            "capture g { launch k_a } capture h { launch k_b } update g h; replay g",
            cupti="cupti12",
        )
        self.assertEqual([(KERNEL, "k_a", 3, ())], self.nodes(trace, 1))
        self.assertEqual([], self.updates(trace))
        self.assertIn("13.0", trace.meta()["graph_updates"])

    def whole(self, script, **options):
        return self.run_app(script, PROF_GRAPH_TRACE="graph", **options)

    def test_whole_graphs(self):
        trace = self.whole(
            "launch k_a; capture g { launch k_in 3; set; copy_async dtod } " "replay g 4"
        ).trace()
        exec_id = trace.one("SELECT graph_exec FROM graph_exec")
        self.assertEqual({"k_a": 1, f"[CUDA graph {exec_id}]": 4}, trace.kernels_by_name())
        self.assertEqual((0, {}), (trace.set_count(), trace.copies_by_kind()))
        self.assertEqual(
            [(1, exec_id, 0, 0)],
            trace.rows(
                "SELECT DISTINCT o.origin, o.graph, o.graph_node, c.grid_x FROM kernel k"
                " JOIN work_origin o ON o.id = k.origin_id JOIN launch_config c ON c.id = k.config_id"
                " WHERE o.graph <> 0"
            ),
        )
        self.assert_all_launched(trace)
        self.assertEqual({"whole_graph": 4}, trace.losses())
        self.assertEqual("graph", trace.meta()["graph_trace"])
        # What the graphs consist of is still recorded.
        self.assertEqual([KERNEL] * 3 + [SET, COPY], [row[0] for row in self.nodes(trace, 1)])

    def test_nodes_are_the_default(self):
        for options in ((), ("--graph-trace", "node")):
            run = self.run_app(
                "capture g { launch k_a } replay g 2; device_replay g",
                "run",
                options=(*options, "--force"),
            )
            self.assert_counts(run)
            self.assertNotIn("graph_trace", run.trace().meta())

    def test_whole_graphs_are_reported_and_not_lost(self):
        run = self.run_app(
            "capture g { launch k_a } replay g 3", "run", options=("--graph-trace", "graph")
        )
        self.assertIn("3 kernels, 0 copies, 0 lost", run.prof_lines[-1])
        self.assertIn(
            "3 graph launches recorded as a whole, without kernels: "
            "prof-run --graph-trace node records their kernels",
            " ".join(self.report("-r", "layers").stdout.split()),
        )

    def rows(self, columns):
        """The report's kernels, by these columns."""
        return list(csv.reader(io.StringIO(self.report("-f", "csv", "-c", columns).stdout)))[1:]

    def test_whole_graphs_have_layer_step_and_nodes_and_no_grid(self):
        self.whole(
            "capture g { launch k_in 3; set } "
            "push step:4; push layer:serve; replay g; pop; pop; replay g"
        )
        self.assertEqual(
            [["4", "serve", "4", "", "graph", ""], ["", "", "4", "", "graph", ""]],
            self.rows("step,layer,graph_nodes,grid,origin,flops"),
        )

    @unless_sanitized("san", "prof-import is not built with a sanitizer")
    def test_whole_graphs_survive_the_text_form(self):
        self.run_app(
            "push layer:a; capture g { launch k_in 3 } replay g 2; device_replay g",
            "run",
            options=("--graph-trace", "graph", "--stream", "records.jsonl"),
        )
        columns = "layer,kernel,graph_nodes,grid,origin,time_ns,correlation"
        captured = self.rows(columns)
        self.assertEqual(3, len(captured))
        os.remove(self.trace_path)
        imported = subprocess.run(
            [
                os.path.join(BUILD, "bin", "prof-import"),
                os.path.join(self.folder, "records.jsonl"),
                "-o",
                self.trace_path,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(0, imported.returncode, imported.stderr)
        self.assertEqual(captured, self.rows(columns))
        self.assertIn("3 graph launches recorded as a whole", self.report().stdout)

    def test_graphs_that_kernels_may_launch_are_told_of(self):
        script = (
            "capture g { launch k_a } for_kernels g; replay g 2; for_kernels g upload; "
            "device_replay g"
        )
        run = self.run_app(script)
        self.assert_counts(run, allowed=("launchable_by_kernels",))
        trace = run.trace()
        self.assertEqual({"launchable_by_kernels": 2}, trace.losses())
        self.assertIn(
            "2 graph executables that kernels may launch: such launches leave no records; "
            "prof-run --graph-trace graph records them",
            " ".join(self.report().stdout.split()),
        )
        self.assertEqual({"whole_graph": 3}, self.whole(script, PROF_FORCE="1").trace().losses())

    def test_graphs_that_kernels_launch(self):
        trace = self.whole("capture g { launch k_a } replay g; device_replay g").trace()
        self.assertEqual(
            [(1, 1), (2, 0)],
            trace.rows(
                "SELECT o.origin, k.correlation <> 0 FROM kernel k"
                " JOIN work_origin o ON o.id = k.origin_id ORDER BY 1"
            ),
        )
        self.assertEqual(2, trace.losses()["whole_graph"])

    def test_without_records_of_whole_graphs_nodes_are_recorded(self):
        run = self.whole("capture g { launch k_a } replay g 2", STANDIN_CUPTI_FAIL="no_graph_trace")
        self.assert_counts(run)
        self.assertTrue(any("no records of whole graphs" in line for line in run.prof_lines))
        self.assertIn("node", run.trace().meta()["graph_trace"])

    def test_large_graphs(self):
        trace = self.record("capture g { launch k_a 2000; set 1 200 } replay g 3")
        self.assertEqual(2200, len(self.nodes(trace, 1)))
        self.assertEqual(2000, trace.one("SELECT count(*) FROM graph_node WHERE function_id <> 0"))


if __name__ == "__main__":
    main()
