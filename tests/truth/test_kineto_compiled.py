#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Compiled programs in made-up files of torch.profiler: each file shows one thing, and the report has the
value that follows from it.

usage: test_kineto_compiled.py PROF_IMPORT PROF_REPORT"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from kineto_case import KinetoCase, main  # noqa: E402
from kineto_files import AUTOGRAD, MM, MM_FLOPS, PRODUCT, File, shapes  # noqa: E402

ENGINE = "autograd::engine::evaluate_function: "
SOURCE = "/tmp/torchinductor_me/ab/cabc.py"
REGION = "Torch-Compiled Region: 0/0"
GRAPH = "## Call CompiledFxGraph fabc ##"


def triton(dims, types, **more):
    """What Inductor states of a launch since torch 2.7: two vectors of bfloat16, and their length."""
    return {
        **shapes(dims, types),
        "kernel_file": SOURCE,
        "kernel_hash": "cabc",
        "kernel_backend": "triton",
        "stream": 7,
        "num_warps": 4,
        "num_stages": 1,
        "kernel_kwargs": "XBLOCK=1024",
        **more,
    }


VECTORS = triton([[64, 32], [64, 32], []], ["c10::BFloat16", "c10::BFloat16", "Scalar"])


def launch(file, name, ts, args=VECTORS, call="cuLaunchKernel", kernel=None, **where):
    """A kernel under the range that Inductor opens around its launch; without arguments there is no range."""
    if args is not None:
        file.op(name, ts, 20, args, **where)
    file.launch(kernel or name, ts + 5, ts + 30, 4, call=call, **where)


class Compiled(KinetoCase):
    def test_a_fused_kernel_has_the_ops_of_its_name_and_the_arguments_of_its_launch(self):
        file = File()
        launch(file, "triton_poi_fused_mul_silu_2", 1000)
        self.assert_rows(
            file,
            "op,op_inner,params,inputs,dtype,flops,bytes,source",
            [
                [
                    "fused: mul+silu",
                    "triton_poi_fused_mul_silu_2",
                    "T=[(64,32),(64,32)]",
                    "(64,32),(64,32)",
                    "bfloat16",
                    "",
                    2 * 64 * 32 * 2,
                    SOURCE,
                ]
            ],
        )
        words = dict(word.split("=") for word in self.rows("provenance")[0][0].split(","))
        self.assertEqual(
            {word: words[word] for word in ("op", "shapes", "bytes")},
            {"op": "estimated", "shapes": "exact", "bytes": "estimated"},
        )

    def test_bytes_are_unknown_where_they_would_be_a_guess(self):
        table = triton([[8], [50000, 64], [8, 64], []], ["long int", "float", "float", "Scalar"])
        untyped = triton([[64], [64], []], ["", "", "Scalar"])
        for name, args in (
            ("triton_poi_fused_embedding_0", table),
            ("triton_poi_fused_slice_0", VECTORS),
            ("triton_poi_fused_mul_0", untyped),
        ):
            file = File()
            launch(file, name, 1000, args)
            self.assert_rows(file, "idx,bytes", [[1, ""]])

    def test_a_template_is_its_product(self):
        file = File()
        launch(file, "triton_tem_fused_addmm_relu_0", 1000)
        self.assert_rows(file, "op,flops", [["addmm", ""]])

    def test_a_hand_written_kernel_has_the_name_of_its_function(self):
        file = File()
        launch(file, "scale_add_kernel_0", 1000, kernel="scale_add_kernel")
        self.assert_rows(file, "op,bytes,source", [["scale_add_kernel", 2 * 64 * 32 * 2, SOURCE]])
        self.assertIn("op=exact", self.rows("provenance")[0][0])

    def test_the_line_of_the_program_comes_before_the_generated_file(self):
        file = File()
        launch(
            file, "triton_poi_fused_mul_0", 1000, {**VECTORS, "Call stack": "model.py(31): forward"}
        )
        self.assert_rows(file, "source", [["model.py(31)"]])

    def test_the_graph_states_the_direction(self):
        """With a range around the launch of each kernel, and without."""
        for args in (VECTORS, None):
            file = File()
            file.annotation(REGION, 1000, 200)
            file.op("CompiledFunction", 1001, 190, seq=3)
            launch(file, "triton_poi_fused_gelu_0", 1010, args)
            file.op("aten::mm", 1050, 30, MM)
            file.launch(PRODUCT, 1055, 1090, 10)
            file.op(ENGINE + "CompiledFunctionBackward", 1300, 200, tid=AUTOGRAD)
            file.op("CompiledFunctionBackward", 1301, 190, seq=3, fwd=1, tid=AUTOGRAD)
            file.op(GRAPH, 1302, 150, tid=AUTOGRAD)
            launch(file, "triton_poi_fused_gelu_0", 1310, args, tid=AUTOGRAD)  # computed again
            launch(file, "triton_poi_fused_gelu_backward_1", 1350, args, tid=AUTOGRAD)
            self.assert_rows(
                file,
                "dir,op,flops",
                [
                    ["fprop", "fused: gelu", ""],
                    ["fprop", "mm", MM_FLOPS],
                    ["bprop", "fused: gelu", ""],
                    ["bprop", "fused: gelu_backward", ""],
                ],
            )

    def test_without_gradients_the_region_states_it(self):
        for around in (REGION, GRAPH):
            file = File()
            file.annotation(around, 1000, 100)
            launch(file, "triton_poi_fused_relu_0", 1010, None)
            self.assert_rows(file, "dir,layer,op", [["fprop", "", "fused: relu"]])
            self.assertIn("dir=estimated", self.rows("provenance")[0][0])

    def test_without_any_range_the_name_alone_does(self):
        file = File()
        launch(file, "triton_poi_fused_relu_0", 1000, None)
        launch(file, "triton_poi_fused_threshold_backward_0", 1100, None)
        launch(file, "triton_", 1200, None)  # torch 2.4 and 2.5
        self.assert_rows(
            file, "dir,op", [["", "fused: relu"], ["bprop", "fused: threshold_backward"], ["", ""]]
        )

    def test_tritons_launcher_gives_away_a_kernel_without_a_range(self):
        file = File()
        launch(file, "_rms_norm_kernel", 1000, None, call="cuLaunchKernelEx")
        launch(file, "_rms_norm_kernel", 1100, None, call="cudaLaunchKernel")
        self.assert_rows(file, "idx,op", [[1, "_rms_norm_kernel"], [2, ""]])

    def test_an_op_around_the_launch_owns_the_kernel(self):
        for around in ("aten::mm", "mylib::attention"):
            file = File()
            file.op(around, 1000, 100, MM)
            launch(file, "_attention_kernel", 1010, None, call="cuLaunchKernelEx")
            launch(file, "triton_poi_fused_relu_0", 1050, None)
            self.assert_rows(file, "op", [[around.removeprefix("aten::")]] * 2)


if __name__ == "__main__":
    main()
