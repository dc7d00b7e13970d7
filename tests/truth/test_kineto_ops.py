#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Ops, nodes and steps of made-up files of torch.profiler: each file shows one thing, and the report has the
value that follows from it.

usage: test_kineto_ops.py PROF_IMPORT PROF_REPORT"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from kineto_case import KinetoCase, main  # noqa: E402
from kineto_files import (
    AUTOGRAD,
    ELEMENTWISE,
    MM,
    MM_FLOPS,
    PRODUCT,
    File,
    pair,
    shapes,
)  # noqa: E402

ENGINE = "autograd::engine::evaluate_function: "


class Ops(KinetoCase):
    def test_without_shapes_they_are_ops_and_no_layers(self):
        """The same file with shapes gives the same ops."""
        for args in (None, shapes([[8]], ["float"])):
            file = File()
            for at, name in enumerate(("mylib::lookup", "triton_poi_fused_add_0", "my_op")):
                file.op(name, 1000 + 50 * at, 20, args)
                file.launch("void a_kernel(float*)", 1005 + 50 * at, 1030 + 50 * at, 10)
            self.assert_rows(
                file,
                "dir,layer,op,flops",
                [
                    ["fprop", "", "mylib::lookup", ""],
                    ["fprop", "", "fused: add", ""],
                    ["fprop", "", "my_op", ""],
                ],
            )

    def test_a_collective_without_facts_is_no_layer(self):
        file = File()
        file.op("record_param_comms", 1200, 20)
        file.op("aten::mul_", 1202, 10)
        file.launch(ELEMENTWISE, 1205, 1230, 10)
        self.assert_rows(file, "layer,op,op_inner", [["", "record_param_comms", "aten::mul_"]])

    def test_until_torch_1_9_ranges_of_the_program_were_of_their_category(self):
        file = File()
        file.op("my range", 1000, 100, category="Operator")
        file.op("aten::mm", 1010, 20, category="Operator")
        file.launch(PRODUCT, 1015, 1030, 10)
        self.assert_rows(file, "layer,op", [["my range", "mm"]])

    def test_ops_over_lists_are_no_update_outside_of_optimizers(self):
        for around, direction in (("decode step", "fprop"), ("Optimizer.step#SGD.step", "update")):
            file = File()
            file.annotation(around, 990, 60)
            file.op(
                "aten::_foreach_copy_",
                1000,
                20,
                shapes(
                    [[[32], [32]], [[32], [32]], []],
                    ["TensorList", "TensorList", "Scalar"],
                    ["", "", "False"],
                ),
            )
            file.launch("void multi_tensor_apply_kernel<float>()", 1005, 1030, 4)
            self.assert_rows(file, "dir", [[direction]])

    def test_types_of_8_bits(self):
        """1024 x 512 times 512 x 256, into 16-bit floats (out_dtype 15)."""

        def scaled(type_of_operand, scale_shapes, type_of_scale):
            dims = [[1024, 512], [512, 256], *scale_shapes, [], [], [], []]
            types = [type_of_operand] * 2 + [type_of_scale] * 2 + ["", "", "Scalar", "Scalar"]
            return shapes(dims, types, [""] * 6 + ["15", "False"])

        flops = 2 * 1024 * 512 * 256
        operands, result = 1024 * 512 + 512 * 256, 2 * 1024 * 256
        file = File()
        for at, args in enumerate(
            (
                scaled("c10::Float8_e4m3fnuz", [[], []], "float"),
                scaled("c10::Float8_e4m3fn", [[1024, 16], [256, 16]], "c10::Float8_e8m0fnu"),
                scaled("c10::Float8_e5m2fnuz", [[], []], "float"),
            )
        ):
            file.op("aten::_scaled_mm", 1000 + 100 * at, 20, args)
            file.launch("gemm_kernel", 1005 + 100 * at, 1030 + 100 * at, 10)
        file.op(
            "aten::copy_",
            1300,
            20,
            shapes(
                [[1024, 512], [1024, 512], []],
                ["c10::Float8_e4m3fnuz", "c10::BFloat16", "Scalar"],
                ["", "", "False"],
            ),
        )
        file.launch("copy_kernel", 1305, 1330, 10)
        blocks = 1024 * 16 + 256 * 16
        self.assert_rows(
            file,
            "dtype,flops,bytes",
            [
                ["float8_e4m3fnuz", flops, operands + 2 * 4 + result],
                ["float8_e4m3fn", flops, operands + blocks + result],
                ["float8_e5m2fnuz", flops, operands + 2 * 4 + result],
                ["bfloat16", 0, 1024 * 512 * 3],
            ],
        )

    def test_places_that_torchscript_and_older_versions_state(self):
        """Modules around an op, and the innermost frame outside of torch."""
        modules = "top(Net)::forward.SELF(Net)::forward.block(Block)::forward.proj(Linear)::forward"
        stack = "torch/nn/modules/linear.py(90): forward;model.py(31): forward;train.py(12): step"
        file = File()
        file.op("aten::linear", 1000, 30, {"Module Hierarchy": modules, "Call stack": stack})
        file.op(
            "aten::mm",
            1005,
            20,
            {**MM, "Module Hierarchy": modules + ".inner(X)::forward", "Call stack": stack},
        )
        file.launch(PRODUCT, 1010, 1050, 10)
        file.op(
            "aten::mm",
            1100,
            20,
            {**MM, "Module Hierarchy": "", "Call stack": "<built-in method mm>"},
        )
        file.launch(PRODUCT, 1105, 1150, 10)
        self.assert_rows(
            file, "layer,source,op", [["Net:block:proj", "model.py(31)", "linear"], ["", "", "mm"]]
        )

    def test_convolutions_before_torch_2_1_have_the_size_of_their_gradient(self):
        """No value of an argument is in the file; another thread may use the same number."""
        flops = 2 * 8 * 32 * 16 * 16 * 16 * 3 * 3
        for others, expected in ((None, flops), ([8, 32, 8, 8], "")):
            file = File()
            args = {
                "Input Dims": [[8, 16, 32, 32], [32, 16, 3, 3], [], [], [], [], []],
                "Input type": ["float", "float", "", "", "", "", ""],
            }
            file.op("aten::conv2d", 1000, 40, args, seq=5)
            file.op(
                "aten::cudnn_convolution",
                1004,
                30,
                {"Input Dims": args["Input Dims"] + [[]], "Input type": args["Input type"] + [""]},
                seq=5,
            )
            file.launch(
                "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckcrs_nchw", 1010, 1050, 20
            )
            for at, dims in enumerate(([8, 32, 16, 16], others)):
                if dims is not None:
                    gradient = {"Input Dims": [dims], "Input type": ["float"]}
                    file.op(
                        "ConvolutionBackward0",
                        1202 + 60 * at,
                        50,
                        gradient,
                        seq=5,
                        fwd=1 + at,
                        tid=AUTOGRAD,
                    )
            self.assert_rows(file, "op,dir,flops", [["conv2d", "fprop", expected]])


class Libraries(KinetoCase):
    """Ops of engines: the model that counts them, and what follows from the arguments."""

    def check(self, name, args, expected):
        file = File()
        file.op(name, 1000, 30, args)
        file.launch("a_kernel", 1010, 1050, 10)
        self.assertEqual(self.imported(file), [])
        self.assertEqual(
            self.rows("op,op_inner,m,n,k,flops,bytes"),
            [[str(cell) for cell in (expected[0], name, *expected[1:])]],
            name,
        )

    def test_products(self):
        rows, inner, columns = 32, 4096, 6144
        flops = 2 * rows * inner * columns
        size = rows * inner + inner * columns
        for name, args, moved in (
            (
                "vllm::rocm_unquantized_gemm",
                shapes([[rows, inner], [columns, inner], []], ["c10::BFloat16"] * 2 + [""]),
                2 * size + 2 * rows * columns,
            ),
            (
                "aiter::gemm_a16w16",
                shapes(
                    [[rows, inner], [columns, inner], [], [], [], [], []],
                    ["c10::BFloat16"] * 2 + ["", "Scalar", "", "", ""],
                    ["", "", "", "15", "", "", ""],
                ),
                2 * size + 2 * rows * columns,
            ),
        ):
            self.check(name, args, ("linear", columns, rows, inner, flops, moved))
        fp8 = ["c10::Float8_e4m3fn"] * 2 + ["float"] * 2
        self.check(
            "_C::cutlass_scaled_mm",
            shapes(
                [[rows, columns], [rows, inner], [inner, columns], [1], [1], []],
                ["c10::BFloat16", *fp8, ""],
            ),
            ("_scaled_mm", columns, rows, inner, flops, size + 8 + 2 * rows * columns),
        )
        self.check(
            "sgl_kernel::fp8_scaled_mm",
            shapes(
                [[rows, inner], [inner, columns], [1], [1], [], []],
                [*fp8, "Scalar", ""],
                [""] * 4 + ["15", ""],
            ),
            ("_scaled_mm", columns, rows, inner, flops, size + 8 + 2 * rows * columns),
        )

    def test_attention(self):
        """Where the arguments state lengths; packed sequences and windows do not."""
        attention = "scaled_dot_product_attention"

        def flash(causal, left="-1"):
            return shapes(
                [[2, 512, 8, 64]] * 3 + [[]] * 8,
                ["c10::Half"] * 3 + ["Scalar"] * 5 + [""] * 3,
                ["", "", "", "0.", "0.125", causal, left, "-1", "", "", ""],
            )

        name = "flash_attn::_flash_attn_forward"
        file = File()
        for at, args in enumerate((flash("False"), flash("True"), flash("False", "128"))):
            file.op(name, 1000 + 50 * at, 30, args)
            file.launch("a_kernel", 1010 + 50 * at, 1050 + 50 * at, 10)
        self.assertEqual(self.imported(file), [])
        rows = self.rows("op,params,flops,bytes,provenance")
        moved = 4 * 2 * 2 * 512 * 8 * 64
        self.assertEqual(
            [row[:2] + row[3:4] for row in rows],
            [[attention, "B=2,H=8,Q=512,K=512,D=64", str(moved)]] * 3,
        )
        full, causal, window = (int(row[2]) for row in rows)
        # Two products, and six operations a pair for scale and softmax.
        self.assertEqual(full, 2 * 8 * 512 * 512 * (4 * 64 + 6))
        self.assertEqual(causal, 2 * 8 * (512 * 513 // 2) * (4 * 64 + 6))
        self.assertEqual(window, full)
        self.assertIn("flops=exact", rows[1][4])
        self.assertIn("flops=estimated", rows[2][4])
        packed = shapes(
            [[8192, 64, 64], [8192, 8, 64], [8192, 8, 64], [8192, 64, 64], []],
            ["c10::BFloat16"] * 4 + [""],
        )
        self.check("vllm::unified_attention_with_output", packed, (attention, "", "", "", "", ""))

    def test_norms_and_activation(self):
        two, one = [[32, 4096], [4096]], ["c10::BFloat16"] * 2
        elements = 32 * 4096
        for name, dims in (
            ("_C::rms_norm", [two[0], *two, []]),
            ("vllm::rocm_aiter_rms_norm", [*two, []]),
            ("aiter::rmsnorm", [two[0], *two, []]),
        ):
            types = ["c10::BFloat16"] * (len(dims) - 1) + ["Scalar"]
            self.check(
                name,
                shapes(dims, types),
                ("rms_norm", "", "", "", 4 * elements, 2 * (2 * elements + 4096)),
            )
        for name, dims in (
            ("_C::fused_add_rms_norm", [two[0], *two, []]),
            ("aiter::add_rmsnorm", [two[0]] * 4 + [two[1], []]),
            ("vllm::rocm_aiter_rmsnorm2d_fwd_with_add", [two[0], *two, []]),
        ):
            types = ["c10::BFloat16"] * (len(dims) - 1) + ["Scalar"]
            self.check(
                name,
                shapes(dims, types),
                ("add_rms_norm", "", "", "", 5 * elements, 2 * (4 * elements + 4096)),
            )
        for name in ("_C::silu_and_mul", "sgl_kernel::silu_and_mul"):
            self.check(
                name,
                shapes([two[0], [32, 8192]], one),
                ("swiglu", "", "", "", 6 * elements, 2 * 3 * elements),
            )

    def test_positions_caches_and_experts(self):
        self.check(
            "sgl_kernel::rotary_embedding",
            shapes(
                [[32], [32, 4096], [32, 1024], [], [41216, 128], []],
                ["long int", "c10::BFloat16", "c10::BFloat16", "Scalar", "c10::BFloat16", "Scalar"],
                ["", "", "", "128", "", "True"],
            ),
            (
                "rotary_embedding",
                "",
                "",
                "",
                3 * 32 * 5120,
                2 * 2 * 32 * 5120 + 32 * 8 + 2 * 32 * 128,
            ),
        )
        heads = [8192, 8, 64]
        self.check(
            "_C_cache_ops::reshape_and_cache_flash",
            shapes(
                [heads, heads, [7009, 32, 8, 64], [7009, 32, 8, 64], [8192], [], [], []],
                ["c10::BFloat16"] * 4 + ["long int", "", "float", "float"],
            ),
            ("kv_cache_update", "", "", "", 0, 4 * 2 * 8192 * 512 + 8 * 8192),
        )
        self.check(
            "_moe_C::topk_softmax",
            shapes([[64, 4], [64, 4], [64, 4], [64, 128]], ["float", "int", "int", "float"]),
            ("topk_softmax", "", "", "", 5 * 64 * 128, 4 * (3 * 256 + 64 * 128)),
        )

    def test_others_have_their_own_names(self):
        self.check(
            "vllm::moe_forward",
            shapes([[64, 128], [64, 8], [], []], ["c10::BFloat16"] * 2 + ["", ""]),
            ("vllm::moe_forward", "", "", "", "", ""),
        )


class Nodes(KinetoCase):
    def node(self, file, name, seq, kernel, called, args=None):
        file.op(ENGINE + name, called - 20, 60, seq=seq, fwd=1, tid=AUTOGRAD)
        file.op(name, called - 15, 50, args, seq=seq, fwd=1, tid=AUTOGRAD)
        file.launch(kernel, called, called + 80, 100, tid=AUTOGRAD)

    def test_another_op_of_the_same_number_is_not_the_forward_op(self):
        """Numbers are read at the start of ops, and used up by nodes alone: zero_ has the one of the next."""
        file = File()
        file.op("mylib::check_bounds", 1000, 30, shapes([[8], [4]], ["long int"] * 2))
        file.op("aten::zero_", 1005, 10, shapes([[1]], ["int"]), seq=41)
        file.op("mylib::lookup", 1040, 40, shapes([[1000, 64], [8]], ["float", "long int"]))
        file.launch("void mylib::lookup_forward<float>(float const*)", 1050, 1100, 20)
        self.node(
            file,
            "torch::autograd::CppNode<LookupFunction>",
            41,
            "void mylib::lookup_backward<float>(float const*)",
            1220,
            shapes([[8, 64]], ["float"]),
        )
        # A node of PyTorch's own with a number that another op has.
        self.node(file, "ReluBackward0", 41, "void relu_backward<float>(float const*)", 1420)
        self.assert_rows(
            file,
            "dir,op,params,flops",
            [
                ["fprop", "mylib::lookup", "T=[(1000,64),(8)]", ""],
                ["bprop", "LookupFunction", "", ""],
                ["bprop", "relu", "", ""],
            ],
        )

    def test_an_op_of_a_library_made_the_node_of_a_class_of_its_own(self):
        file = File()
        file.op(
            "fbgemm::lookup_function",
            1000,
            40,
            shapes([[1000, 64], [8]], ["float", "long int"]),
            seq=5,
        )
        file.launch("void lookup_forward<float>(float const*)", 1010, 1100, 20)
        self.node(
            file,
            "torch::autograd::CppNode<SplitLookupFunction_sgd_Op>",
            5,
            "void lookup_backward<float>(float const*)",
            1220,
        )
        self.assert_rows(
            file,
            "dir,op",
            [["fprop", "fbgemm::lookup_function"], ["bprop", "fbgemm::lookup_function"]],
        )

    def test_names_of_classes(self):
        """A class with a template argument, whose name the engine's range cuts; a namespace; a plain name."""
        for name, shown in (
            ("mylib::PermuteFunction<&mylib::permute_gpu> ", "PermuteFunction"),
            ("mylib::(anonymous namespace)::RollFunction", "RollFunction"),
            ("Outer<int, Inner<2> >", "Outer"),
        ):
            file = File()
            full = f"torch::autograd::CppNode<{name}>"
            file.op(ENGINE + full[:-2], 1200, 60, seq=9, fwd=1, tid=AUTOGRAD)
            file.op(full, 1205, 50, shapes([[2048, 64]], ["float"]), seq=9, fwd=1, tid=AUTOGRAD)
            file.launch("void permute_kernel<float>(float const*)", 1220, 1300, 10, tid=AUTOGRAD)
            self.assert_rows(file, "dir,op", [["bprop", shown]])

    def test_functions_in_python_have_one_name_in_both_directions(self):
        for name in ("FusedFP8Linear", "ParallelLMHead", "RMSNorm", "plain"):
            file = File()
            self.node(file, name + "Backward", 9, "void bwd<float>(float const*)", 1220)
            file.op(name, 1000, 30, seq=12)
            file.launch("void fwd<float>(float const*)", 1010, 1050, 10)
            self.assert_rows(file, "dir,op", [["bprop", name], ["fprop", name]])

    def test_pytorchs_own_nodes_have_the_names_of_ops(self):
        """With a number at the end, and until torch 1.9 without."""
        for name, shown in (
            ("AddmmBackward0", "addmm"),
            ("MmBackward", "mm"),
            ("NativeLayerNormBackward0", "layer_norm"),
            ("NllLossBackward", "nll_loss"),
            ("UnheardOfBackward0", "unheard_of"),
            ("torch::autograd::CopyBackwards", "copy"),
        ):
            file = File()
            self.node(file, name, 3, "void a_kernel<float>(float*)", 1220)
            self.assert_rows(file, "dir,op", [["bprop", shown]])

    def test_what_compiled_code_of_torchscript_calls_are_ops(self):
        name = "torch::jit::(anonymous namespace)::DifferentiableGraphBackward"
        file = File()
        file.op(ENGINE + name, 1200, 60, seq=7, fwd=1, tid=AUTOGRAD)
        file.op(name, 1205, 50, seq=7, fwd=1, tid=AUTOGRAD)
        file.op("<backward op>", 1208, 45, tid=AUTOGRAD)
        file.op("aten::mm", 1210, 30, MM, tid=AUTOGRAD)
        file.launch(PRODUCT, 1220, 1300, 10, tid=AUTOGRAD)
        self.assert_rows(file, "dir,op,flops", [["bprop", "mm", MM_FLOPS]])


class Steps(KinetoCase):
    def test_a_step_has_the_work_of_all_threads(self):
        """With links of nodes to ops, and without."""
        for seq, origin in ((None, "estimated"), (0, "inherited")):
            file = File()
            for step, begin in ((1, 1000), (2, 1300)):
                file.annotation(f"ProfilerStep#{step}", begin, 300)
                number = None if seq is None else seq + step
                file.op("aten::mm", begin + 10, 20, MM, seq=number)
                file.launch(PRODUCT, begin + 15, begin + 40, 10)
                file.op(
                    "MmBackward0",
                    begin + 112,
                    50,
                    shapes([[64, 32]], ["float"]),
                    seq=number,
                    fwd=None if seq is None else 1,
                    tid=AUTOGRAD,
                )
                file.op("aten::mm", begin + 120, 20, MM, tid=AUTOGRAD)
                file.launch(PRODUCT, begin + 125, begin + 150, 10, tid=AUTOGRAD)
            self.assertEqual(self.imported(file), [])
            rows = self.rows("step,dir,m,n,k,provenance")
            self.assertEqual(
                [row[:5] for row in rows],
                [
                    [step, direction, "32", "64", "128"]
                    for step in "12"
                    for direction in ("fprop", "bprop")
                ],
            )
            self.assertTrue(all(f"op={origin}" in row[5] for row in rows if row[1] == "bprop"))
            self.assertEqual(self.rows("step,kernels", "steps"), [["1", "2"], ["2", "2"]])


class WhoseWork(KinetoCase):
    """The op of a kernel where no launch call under an op tells it: the one that the file names."""

    def test_without_calls(self):
        file = File()
        file.op("aten::mm", 1000, 20, MM, number=1)
        file.work(PRODUCT, 1030, 10, 100, **{"External id": 1})
        file.op("aten::add", 1040, 10, pair(64), number=2)
        file.work(ELEMENTWISE, 1060, 5, 101, **{"External id": 2})
        self.assert_rows(file, "op,flops", [["mm", MM_FLOPS], ["add", 64]])
        self.assertEqual(self.rows("launch"), [["(launch not recorded)"]] * 2)

    def test_a_call_on_a_thread_without_ops(self):
        file = File()
        file.op("aten::mm", 1000, 20, MM, number=1)
        file.launch(PRODUCT, 1105, 1130, 10, {"External id": 1}, tid=33)
        self.assert_rows(file, "op,flops", [["mm", MM_FLOPS]])

    def test_an_op_that_never_ended(self):
        file = File()
        file.op("aten::mm", 1000, -1, MM, number=1)
        file.launch(PRODUCT, 1005, 1030, 10, {"External id": 1})
        file.op("aten::add", 1100, 20, pair(64), number=2)
        file.launch(ELEMENTWISE, 1105, 1130, 10, {"External id": 2})
        self.assert_rows(
            file,
            "op,flops",
            [["mm", MM_FLOPS], ["add", 64]],
            lines=["trace.json: 1 op without an end, taken as ended at the start"],
        )

    def test_ops_that_overlap_are_beside_each_other(self):
        file = File()
        file.op("aten::add", 1000, 30, pair(64), number=1)
        file.op("aten::mul", 1020, 40, pair(64), number=2)
        for called, start, number in ((1010, 1100, 1), (1025, 1110, 2), (1045, 1120, 2)):
            file.launch(ELEMENTWISE, called, start, 5, {"External id": number})
        # Two kernels share the 64 additions.
        self.assert_rows(
            file,
            "op,op_inner,flops",
            [["add", "aten::add", 64], ["mul", "aten::mul", 32], ["mul", "aten::mul", 32]],
        )

    def test_an_op_that_ends_a_rounding_after_its_caller_is_inside_it(self):
        file = File()
        file.op(
            "aten::linear",
            1000,
            30,
            shapes([[64, 128], [32, 128], []], ["float", "float", ""]),
            number=1,
        )
        file.op("aten::mm", 1005, 26, MM, number=2)
        file.launch(PRODUCT, 1010, 1100, 5, {"External id": 2})
        self.assert_rows(file, "op,op_inner", [["linear", "aten::mm"]])


if __name__ == "__main__":
    main()
