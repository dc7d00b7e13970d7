# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs that Inductor has compiled: ranges around their calls, documents about what they are."""
import os
import sys
import tempfile
import types
import unittest
from types import SimpleNamespace
from unittest import mock

from support import AnnotatedTest, prof_torch, torch

from prof_torch import graph_nodes, inductor


class Node(SimpleNamespace):
    __hash__ = object.__hash__

    def __init__(self, name, op="call_function", target=None, all_input_nodes=(), **meta):
        super().__init__(
            name=name, op=op, target=target or name, all_input_nodes=all_input_nodes, meta=meta
        )


def graph(*nodes):
    return SimpleNamespace(graph=SimpleNamespace(nodes=list(nodes)))


class Module(SimpleNamespace):
    """A GraphModule: weakly referenced."""

    __hash__ = object.__hash__


class CompiledFxGraph:
    def __init__(self, key, is_backward=False):
        self.cache_key = key
        self.source_code = "# AOT ID: [%r]" % key
        self.inductor_post_grad_graph_str = "graph():"
        self.fx_kwargs = {"is_backward": is_backward}

    def post_compile(self, inputs):
        return None

    def __call__(self, inputs):
        torch._C.log.append("run " + self.cache_key)
        return inputs


class Benchmarker:
    def benchmark_gpu(self, call):
        return call()


class Compiler(AnnotatedTest):
    def setUp(self):
        super().setUp()
        self.kept = []
        self.compilation = "0/0"
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        keep = lambda *document: self.kept.append(document)  # noqa: E731
        self.enterContext(mock.patch.object(inductor, "find_keeper", lambda: keep))
        self.enterContext(
            mock.patch.dict(
                sys.modules,
                {
                    name: self.module(name, **members)
                    for name, members in {
                        "torch._guards": {
                            "CompileContext": SimpleNamespace(
                                current_compile_id=lambda: self.compilation
                            )
                        },
                        "torch._inductor.compile_fx": {
                            "compile_fx": self.compile_fx,
                            "_compile_fx_inner": lambda gm, inputs, **_: self.made,
                        },
                        "torch._inductor.output_code": {"CompiledFxGraph": CompiledFxGraph},
                        "torch._inductor.runtime.benchmarking": {"Benchmarker": Benchmarker},
                        "torch._inductor.runtime.cache_dir_utils": {
                            "cache_dir": lambda: self.folder.name
                        },
                    }.items()
                },
            )
        )
        Benchmarker.__module__ = "torch._inductor.runtime.benchmarking"
        prof_torch.start()

    def module(self, name, **members):
        made = types.ModuleType(name)
        vars(made).update(members)
        return made

    @staticmethod
    def compile_fx(model_, inputs, patches=None):
        if patches is None:  # As torch does with options.
            return sys.modules["torch._inductor.compile_fx"].compile_fx(model_, inputs, {})
        return "compiled"

    def dynamo(self, *nodes):
        module = Module(graph=SimpleNamespace(nodes=list(nodes)))
        self.assertEqual(
            "compiled", sys.modules["torch._inductor.compile_fx"].compile_fx(module, [])
        )
        return module

    def aot(self, made, *nodes):
        self.made = made
        inner = sys.modules["torch._inductor.compile_fx"]._compile_fx_inner
        self.assertIs(made, inner(graph(*nodes), [], is_backward=False))
        return made

    def documents(self, kind):
        return [(name, text) for of, name, text in self.kept if of == kind]

    def test_calls_of_graphs(self):
        self.dynamo(Node("linear"))
        forward = self.aot(CompiledFxGraph("c1"), Node("mm"))
        backward = self.aot(CompiledFxGraph("c2", is_backward=True), Node("mm_1"))
        torch._C.log.clear()
        self.assertEqual([1], forward([1]))
        forward([2])
        backward([3])
        self.assertEqual(
            [
                'push {"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop"}',
                "run c1",
                "pop ",
                'push {"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop"}',
                "run c1",
                "pop ",
                'push {"v":1,"mod":"prof","graph":"c2","source":"0","dir":"bprop"}',
                "run c2",
                "pop ",
            ],
            [line if line[:3] != "pop" else "pop " for line in torch._C.log],
        )
        self.assertEqual(
            [("c1", "# AOT ID: ['c1']"), ("c2", "# AOT ID: ['c2']")],
            self.documents("inductor.wrapper"),
        )
        self.assertEqual(["c1", "c2"], [name for name, _ in self.documents("inductor.post_grad")])

    def test_sizes_that_are_inputs(self):
        self.dynamo(Node("linear"))
        made = CompiledFxGraph("c1")
        made.source_code = (
            "def partition_0(args):\n    s9 = args\n"
            "    def call(self, args):\n        arg0_1, arg1_1, arg2_1 = args\n"
            "        args.clear()\n        s33 = arg0_1\n        s7 = arg2_1\n"
        )
        made = self.aot(made, Node("mm"))
        torch._C.log.clear()
        made([12, None, 5])
        made([3, None, None])  # not as its code says
        made([])
        self.assert_listing(
            """
            {"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop","sizes":{"s33":12,"s7":5}}
            {"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop","sizes":{"s33":3}}
            {"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop","sizes":{}}
            """
        )

    def test_a_call_that_fails_ends_its_range(self):
        with self.assertRaises(TypeError):
            CompiledFxGraph("c3")()
        self.assertEqual('{"v":1,"mod":"prof","graph":"c3","dir":"fprop"}', self.listing())

    def test_equal_blocks_compiled_one_by_one(self):
        """They have the same key and nodes of their own."""
        graphs = []
        for number, block in enumerate(("blocks.0", "blocks.1")):
            self.compilation = "%d/0" % number
            self.dynamo(Node("linear", nn_module_stack={"1": ("L['self']." + block, type(self))}))
            made = CompiledFxGraph("c1")
            made.post_compile([])  # found in a cache
            graphs.append(made)
        for made in graphs:
            made([])
        self.assertEqual(
            '{"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop"}\n'
            '{"v":1,"mod":"prof","graph":"c1","source":"1","dir":"fprop"}',
            self.listing(),
        )
        self.assertEqual(1, len(self.documents("inductor.wrapper")))
        self.assertEqual(["0", "1"], [name for name, _ in self.documents("dynamo.nodes")])
        self.assertIn('"path":"blocks.1"', self.documents("dynamo.nodes")[1][1])

    def test_a_backward_graph_that_is_compiled_later(self):
        self.dynamo(Node("linear"))
        self.compilation = "1/0"
        self.dynamo(Node("relu"))
        self.compilation = "0/0"
        self.aot(CompiledFxGraph("c2", is_backward=True))([])
        self.assertIn('"source":"0"', self.listing())

    def test_a_later_process_finds_the_nodes_beside_the_cache(self):
        self.aot(CompiledFxGraph("c1"), Node("mm", seq_nr=4))
        self.assertEqual(["c1.json"], os.listdir(os.path.join(self.folder.name, "prof")))
        (first,) = self.documents("aot.nodes")
        self.kept.clear()
        CompiledFxGraph("c1")([])
        self.assertEqual([first], self.documents("aot.nodes"))

    def test_autotuning(self):
        self.assertEqual(7, Benchmarker().benchmark_gpu(lambda: 7))
        self.assertEqual('{"v":1,"mod":"prof","op":"autotune","whole":true}', self.listing())

    def test_nothing_is_marked_after_the_end(self):
        made = CompiledFxGraph("c1")
        prof_torch.stop()
        made([])
        self.assertEqual("", self.listing())

    def test_nodes_that_cannot_be_read_are_the_programs_as_before(self):
        compiler = sys.modules["torch._inductor.compile_fx"]
        self.assertEqual("compiled", compiler.compile_fx(Module(graph=3), []))
        self.made = 5
        self.assertEqual(5, compiler._compile_fx_inner(None, []))


class Nodes(unittest.TestCase):
    def path_of(self, path):
        nodes = graph_nodes.of_dynamo(
            SimpleNamespace(
                nodes=[Node("x", nn_module_stack={"1": ("L['self']", int), "2": (path, str)})]
            )
        )
        return nodes["nodes"][0].get("path")

    def test_paths(self):
        for path, expected in (
            ("L['self']", None),
            ("L['self'].layers.0.attn", "layers.0.attn"),
            ("L['self']._modules['layers']._modules['0']", "layers.0"),
            ("L['fn'].model.head", "model.head"),
            ("G['model'].a", "a"),
            ("L['self']._orig_mod.blocks[3]", "blocks.3"),
            ("L['self'].h[0].forward.__kwdefaults__['forward'].__self__.ln_1", "h.0.ln_1"),
            ("L['step'].__self__.model.fc", "model.fc"),
            ("L['fn'].__closure__[0].cell_contents.blocks[0].a", "blocks.0.a"),
            ("layers.0.attn", "layers.0.attn"),
        ):
            with self.subTest(path):
                self.assertEqual(expected, self.path_of(path))

    def test_what_a_node_says(self):
        trace = (
            '  File "/home/torch/model.py", line 42, in forward\n    x\n'
            '  File "%s/nn/linear.py", line 9, in forward\n    y\n'
            % os.path.dirname(torch.__file__)
        )
        nodes = graph_nodes.of_dynamo(
            SimpleNamespace(
                nodes=[
                    Node("w", op="placeholder"),
                    Node("linear", target=len, stack_trace=trace),
                    Node("output", op="output"),
                ]
            )
        )
        self.assertEqual(
            {
                "nodes": [
                    {
                        "name": "linear",
                        "target": "len",
                        "where": "model.py:42",
                        "line": "linear.py:9",
                    }
                ]
            },
            nodes,
        )

    def test_what_a_higher_order_op_runs_stands_before_it(self):
        def body(path):
            stack = {"1": ("L['self']." + path, int)}
            return SimpleNamespace(
                graph=SimpleNamespace(
                    nodes=[Node("x", op="placeholder"), Node("linear", nn_module_stack=stack)]
                )
            )

        bodies = [Node("body_%d" % i, op="get_attr") for i in range(2)]
        calls = [
            Node("checkpoint" + suffix, all_input_nodes=[node])
            for suffix, node in zip(("", "_1"), bodies)
        ]
        graph = SimpleNamespace(
            nodes=[*bodies, *calls],
            owning_module=SimpleNamespace(body_0=body("blocks.0"), body_1=body("blocks.1")),
        )
        table = graph_nodes.of_dynamo(graph)["nodes"]
        self.assertEqual(
            ["linear", "checkpoint", "linear", "checkpoint_1"], [node["name"] for node in table]
        )
        self.assertEqual(
            ["blocks.0", "blocks.1"], [node["path"] for node in table if node["name"] == "linear"]
        )
        # Which of the two a node comes from is known by its module.
        stack = {"1": ("L['self'].blocks.1", int)}
        origin = [SimpleNamespace(name="linear")]
        made = graph_nodes.of_aot(
            SimpleNamespace(
                nodes=[
                    Node("mm", seq_nr=1, from_node=origin, nn_module_stack=stack),
                    Node("mm_1", seq_nr=1, partitioner_tag="is_backward"),
                ]
            ),
            graph_nodes.Sources(table),
        )
        self.assertEqual([1, 1], [node["nth"] for node in made["nodes"]])

    def test_backward_nodes_come_from_what_their_forward_nodes_come_from(self):
        sources = graph_nodes.Sources()
        origin = [SimpleNamespace(name="linear_7")]
        forward = graph_nodes.of_aot(
            SimpleNamespace(
                nodes=[Node("mm", seq_nr=4, from_node=origin, partitioner_tag="is_forward")]
            ),
            sources,
        )
        self.assertEqual({"nodes": [{"name": "mm", "source": "linear_7"}]}, forward)
        backward = graph_nodes.of_aot(
            SimpleNamespace(
                nodes=[
                    Node("view", seq_nr=4, from_node=origin),
                    Node("mm_1", seq_nr=4, partitioner_tag="is_backward"),
                    Node("sum_1", seq_nr=4, partitioner_tag="is_backward", is_gradient_acc=True),
                    Node("add", seq_nr=9, partitioner_tag="is_backward"),
                ]
            ),
            sources,
        )
        self.assertEqual(
            {
                "nodes": [
                    {"name": "view", "source": "linear_7", "recompute": True},
                    {"name": "mm_1", "source": "linear_7", "dir": "bprop"},
                    {"name": "sum_1", "dir": "bprop"},
                    {"name": "add", "dir": "bprop"},
                ]
            },
            backward,
        )


if __name__ == "__main__":
    unittest.main()
