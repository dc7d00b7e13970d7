#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Ops that libprof_torch.so observes, in programs on the stand-in torch."""
import json
import os

from harness import STANDIN, SystemTest, main

LINEAR = "op aten::addmm 7 16 8x4 4x16 i1 i1"


class Torch(SystemTest):
    def environment(self, cupti="cupti13", **extra):
        env = super().environment(cupti, **extra)
        env["LD_LIBRARY_PATH"] += ":" + os.path.join(STANDIN, "torch")
        return env

    def ops(self, script, switch=True, **options):
        start = "torch; " + ("torch_switch on; " if switch else "")
        return self.run_app(start + script, "run", **options)

    def facts(self):
        """(signature, sequence, forward thread) of each op, in their order."""
        return [
            (json.loads(text), seq, thread)
            for text, seq, thread in self.run_trace().rows(
                "SELECT s.text, f.seq, f.forward_thread_id FROM range f JOIN string s ON s.id = f.signature_id"
                " ORDER BY f.id"
            )
        ]

    def run_trace(self):
        import trace_db

        return trace_db.Trace(self.trace_path)

    def column(self, *names):
        return [tuple(row[name] for name in names) for row in self.kernels_of_report()]

    def averages(self, *options):
        return json.loads(self.report("-r", "key_averages", "-f", "json", *options).stdout)

    def test_known_ops_are_read(self):
        run = self.ops("launch k", switch=False)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([4, 4, 5], [line["sequence"] for line in lines])
        self.assertEqual(
            [
                {"shape": [3, 5], "dtype": "int64", "strides": [1, 3]},
                {"value": [0, 1]},
                {"value": True},
                None,
            ],
            lines[0]["signature"]["args"],
        )
        self.assertEqual(
            [
                {"shape": [3, 5], "dtype": "float32", "strides": [5, 1]},
                {"shape": [5], "dtype": "float32", "strides": [1]},
                {"value": 7},
            ],
            lines[1]["signature"]["args"],
        )
        self.assertEqual([], self.facts())

    def test_other_layouts_are_not_believed(self):
        # Of a release whose members lie elsewhere nothing is read but what a function confirms.
        for other in ("old", "other"):
            run = self.ops("launch k", switch=False, options=("--force",), STANDIN_TORCH=other)
            for line in run.stdout.splitlines():
                self.assertEqual(0, json.loads(line)["inputs"])

    def test_an_op(self):
        self.ops("push layer:fc; " + LINEAR + " { launch gemm } pop")
        self.assertEqual(
            [("fc", "addmm", 16, 8, 4, "fprop")], self.column("layer", "op", "m", "n", "k", "dir")
        )
        ((signature, sequence, thread),) = self.facts()
        self.assertEqual(
            {
                "source": "torch",
                "op": "aten::addmm",
                "args": [
                    {"shape": [16], "dtype": "float32", "strides": [1]},
                    {"shape": [8, 4], "dtype": "float32", "strides": [4, 1]},
                    {"shape": [4, 16], "dtype": "float32", "strides": [16, 1]},
                    {"value": 1},
                    {"value": 1},
                ],
            },
            signature,
        )
        self.assertEqual((7, 0), (sequence, thread))
        self.assert_no_loss(self.run_trace())

    def test_arguments(self):
        self.ops(
            "op aten::x - 2x3:i64:1x2 4:f64 4:odd 4:subclass 4:undefined 4:sparse 4:meta n s i-5 d0.25 b0 [i1,i2] [d0.5,b1] "
            "[2x2,4:undefined] [] [[i1],[i2]] { launch k }"
        )
        ((signature, sequence, _),) = self.facts()
        self.assertEqual(
            [
                {"shape": [2, 3], "dtype": "int64", "strides": [1, 2]},
                {"shape": [4], "dtype": "float64", "strides": [1]},
                {"shape": [4], "strides": [1]},
                None,
                None,
                None,
                None,
                None,
                None,
                {"value": -5},
                {"value": 0.25},
                {"value": False},
                {"value": [1, 2]},
                {"value": [0.5, True]},
                {"list": [{"shape": [2, 2], "dtype": "float32", "strides": [2, 1]}, None]},
                {"list": []},
            ],
            signature["args"][:16],
        )
        self.assertIsNone(sequence)

    def test_an_index_that_is_left_out(self):
        # x[:, i]: the first index is no tensor.
        self.ops("op aten::index - 7x5x3 [4:undefined,2:i64] { launch k }")
        self.assertEqual(
            [("index", "T=[(7,5,3),(2)]", 16 + 2 * 4 * 7 * 2 * 3)],
            self.column("op", "params", "bytes"),
        )

    def test_more_arguments_than_fit(self):
        many = "[" + ",".join(["2x2"] * 200) + "]"
        too_many = "[" + ",".join(["2x2"] * 5000) + "]"
        self.ops(
            f"op aten::cat - {many} i0 {{ launch k }} op aten::cat - {too_many} i0 {{ launch k }}"
        )
        first, second = self.facts()
        self.assertEqual(200, len(first[0]["args"][0]["list"]))
        self.assertEqual([None, {"value": 0}], second[0]["args"])

    def test_nested_ops_and_ranges_of_the_program(self):
        self.ops(
            "region step:3 { push layer:a; op aten::linear 7 8x4 16x4 16 { push left_open; "
            + LINEAR
            + " { launch gemm } } launch after; pop; pop }"
        )
        self.assertEqual(
            [("a", "linear", "aten::addmm"), ("a", None, None)],
            [
                (layer, op, inner and "aten::addmm")
                for layer, op, inner in self.column("layer", "op", "op_inner")
            ],
        )
        self.assertEqual(["aten::linear", "aten::addmm"], [fact[0]["op"] for fact in self.facts()])
        self.assertEqual({"3"}, {str(step) for step, in self.column("step")})

    def test_backward_work_finds_its_forward_op_by_thread(self):
        forward = "push layer:{}; " + LINEAR + " {{ launch gemm }} pop; "
        node = "autograd AddmmBackward0 7 {} 8x16 {{ op aten::mm - 4x8 8x16 {{ launch back }} }} "
        # Both threads have an op of that number. The first thread that asks torch is 1.
        self.ops(
            "op aten::zero_ - 4 { } "
            + forward.format("one")
            + "thread { "
            + forward.format("two")
            + "} thread { "
            + node.format(1)
            + node.format(2)
            + "}"
        )
        self.assertEqual(
            [("one", "fprop"), ("two", "fprop"), ("one", "bprop"), ("two", "bprop")],
            self.column("layer", "dir"),
        )

    def test_ranges_of_the_program_tell_what_the_host_does(self):
        # A data loader calls no CUDA function, unlike most of what is recorded.
        self.ops(
            "launch first; region enumerate(DataLoader)#_Iter.__next__ { op aten::empty - { } } launch second"
        )
        self.assertEqual(
            ["enumerate(DataLoader)#_Iter.__next__"],
            [
                name
                for name, in self.run_trace().rows(
                    "SELECT s.text FROM range r JOIN string s ON s.id = r.text_id"
                )
            ],
        )

    def test_ops_that_only_run_on_the_host_are_counted(self):
        self.ops(
            "launch first; push layer:fc; repeat 3 { op aten::linear - 8x4 16x4 { op aten::t - 4x4 { op aten::view - 4x4 { } } "
            "op aten::mm - 8x4 4x16 { launch gemm } } op aten::empty - { } } pop; thread { op aten::empty - { } }"
        )
        trace = self.run_trace()
        self.assertEqual(
            ["layer:fc"] + ["aten::linear", "aten::mm"] * 3,
            [
                name
                for name, in trace.rows(
                    "SELECT s.text FROM range r JOIN string s ON s.id = r.text_id ORDER BY r.id"
                )
            ],
        )
        self.assertEqual(
            [("aten::empty", 4), ("aten::t", 3), ("aten::view", 3)],
            trace.rows(
                "SELECT s.text, sum(h.calls) FROM host_op h JOIN string s ON s.id = h.name_id GROUP BY 1 ORDER BY 1"
            ),
        )
        times = {row["op"]: row for row in self.averages()}
        self.assertEqual(
            {"aten::linear": 3, "aten::mm": 3, "aten::t": 3, "aten::view": 3, "aten::empty": 4},
            {name: times[name]["calls"] for name in times if name.startswith("aten")},
        )
        self.assertEqual(
            times["aten::t"]["self_cpu_ns"] + times["aten::view"]["cpu_total_ns"],
            times["aten::t"]["cpu_total_ns"],
        )
        linear = times["aten::linear"]
        self.assertEqual(
            linear["cpu_total_ns"]
            - times["aten::t"]["cpu_total_ns"]
            - times["aten::mm"]["cpu_total_ns"],
            linear["self_cpu_ns"],
        )

    def test_ops_of_steps_are_counted_apart(self):
        self.ops(
            "launch first; push layer:loop; start a step:1; op aten::empty - { } end a; start b step:2; op aten::empty - { } "
            "op aten::empty - { } end b; pop"
        )
        for number, calls in ((1, 1), (2, 2)):
            rows = self.averages("--step", str(number))
            self.assertEqual([calls], [row["calls"] for row in rows if row["op"] == "aten::empty"])

    def test_a_node_is_known_by_what_its_engine_call_adds(self):
        engine = 'op "autograd::engine::evaluate_function: ViewBackward0" - { '
        self.ops(
            "launch between; push layer:fc; op aten::view 7 8x4 { } pop; thread { "
            + engine
            + "autograd ViewBackward0 7 1 4x8 { } op aten::add_ - 8x4 8x4 i1 { launch sum } } "
            + engine
            + "autograd ViewBackward0 7 1 4x8 { } } }"
        )
        self.assertEqual(
            [("between", None, None), ("sum", "fc", "bprop")], self.column("kernel", "layer", "dir")
        )
        self.assertEqual(1, [fact[0]["op"] for fact in self.facts()].count("ViewBackward0"))

    def test_off_and_on(self):
        self.ops(
            "op aten::a - { launch k } torch_switch off; op aten::b - { launch k } op aten::c - { torch_switch on; launch k }"
            " op aten::d - { torch_switch off; launch k } torch_switch on; op aten::e - { launch k }"
        )
        self.assertEqual(
            ["aten::a", "aten::d", "aten::e"], [fact[0]["op"] for fact in self.facts()]
        )
        self.assertEqual(
            [True, False, False, True, True], [op is not None for op, in self.column("op")]
        )

    def test_with_arguments_and_without(self):
        self.ops(
            f"{LINEAR} {{ launch k }} torch_switch names; {LINEAR} {{ launch k }} torch_switch on; {LINEAR} {{ launch k }}"
        )
        self.assertEqual(
            [True, False, True], ["args" in signature for signature, _, _ in self.facts()]
        )
        self.assertEqual([16, None, 16], [m for m, in self.column("m")])

    def test_a_second_probe_reads_anew(self):
        run = self.ops(f"torch; torch_switch on; {LINEAR} {{ launch k }}", switch=False)
        self.assertEqual(
            ["aten::sum", "aten::add", "aten::add"] * 2,
            [json.loads(line)["signature"]["op"] for line in run.stdout.splitlines()],
        )
        self.assertEqual(["aten::addmm"], [signature["op"] for signature, _, _ in self.facts()])

    def test_ops_that_end_elsewhere(self):
        self.ops(
            "op aten::outer - { op_left aten::lost; op aten::inner - { launch a } launch b } launch c; "
            "async_op aten::later { launch d }"
        )
        trace = self.run_trace()
        ranges = trace.ranges()
        stacks = [
            trace.stack(stack, ranges)
            for stack, in trace.rows(
                "SELECT a.range_id FROM kernel k JOIN api_call a ON a.correlation = k.correlation ORDER BY k.start_ns"
            )
        ]
        self.assertEqual(
            ["aten::inner", "aten::lost", None, None],
            [stack[-1] if stack else None for stack in stacks],
        )

    def test_windows_know_the_ops_before_them(self):
        script = (
            "launch first; push layer:fc; "
            + LINEAR
            + " { } pop; push layer:made; capture g { op aten::relu - 8x4 { launch k_g } } pop; "
            "push now; thread { autograd AddmmBackward0 7 1 8x16 { op aten::mm - 4x8 8x16 { launch back } } } replay g; pop"
        )
        for name in ("trace.db", "w-%n.db"):
            self.trace_path = os.path.join(self.folder, name)
            self.ops(script, options=("--capture", "nvtx:now"))
            self.trace_path = self.trace_path.replace("%n", "1")
            self.assertEqual(
                {("back", "fc", "addmm", "bprop"), ("k_g", "made", "relu", "fprop")},
                set(self.column("kernel", "layer", "op", "dir")),
            )

    def test_an_exit_while_the_ops_between_windows_are_written(self):
        ops = " ".join(f"op aten::n{i} + 8x{i + 1} {{ }}" for i in range(1500))
        for _ in range(20):
            self.ops(
                "launch first; push now; launch in; pop; " + ops,
                options=("--force", "--capture", "nvtx:now"),
            )

    def test_a_fork(self):
        run = self.ops(
            "op aten::a - { launch a } fork { op aten::b - { } exit 3 } op aten::c - { launch c }"
        )
        self.assertEqual(["aten::a", "aten::c"], [fact[0]["op"] for fact in self.facts()])
        self.assertEqual(0, run.status)

    def test_many_threads(self):
        self.ops("threads 8 { repeat 500 { op aten::add 3 4x4 4x4 i1 { launch k } } }")
        self.assertEqual(4000, len(self.facts()))
        self.assertEqual({("add",)}, set(self.column("op")))
        self.assert_no_loss(self.run_trace())


if __name__ == "__main__":
    main()
