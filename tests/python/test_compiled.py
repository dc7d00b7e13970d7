# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules that a compiler makes have no layer; those that the program traces do."""
import gc
import unittest
from types import SimpleNamespace

from support import AnnotatedTest, prof_torch, torch
from prof_torch import patches
from torch import fx, nn
from torch._dynamo.eval_frame import compile_wrapper
from torch._functorch import call_at_runtime


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear()
        self.head = nn.Sequential(nn.Linear())

    def forward(self, x):
        return self.head(self.fc(x))


MODEL = """\
Model
  fc
  head
    head.0
"""


def generated_code(text):
    """As torch compiles a graph's code: in no module."""
    return eval("lambda self, x: " + text, {})


def generated(name="GraphModule", root=nn.Module(), code="x"):
    return fx.GraphModule(root, generated_code(code), name)


class Calls(nn.Module):
    """A module whose forward() is `function`."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Compiled(AnnotatedTest):
    def setUp(self):
        super().setUp()
        prof_torch.start(steps="off")

    def test_what_replaces_a_function_is_not_compiled_in_its_place(self):
        self.assertEqual(("skip", "default"), torch._C.strategies.get(nn.Module.__call__.__code__))

    def test_older_and_unknown_torches(self):
        skip = object()
        for frames, expected in (
            (SimpleNamespace(skip_code=skip), skip),
            (SimpleNamespace(), None),
            (None, None),
        ):
            torch_ = SimpleNamespace(_C=SimpleNamespace(_dynamo=SimpleNamespace(eval_frame=frames)))
            self.assertIs(expected, patches.find_skip(torch_))
        self.assertIsNone(patches.find_skip(SimpleNamespace(_C=None)))

    def test_a_graph_of_aot_autograd_is_no_layer(self):
        for name in ("<lambda>", "joint_fn", "GraphModule"):
            graph = generated(name)
            for _ in range(2):
                self.assertEqual(call_at_runtime(graph, 3), 3)
                self.assert_listing("")

    def test_work_in_it_has_the_layer_of_what_calls_it(self):
        graph = generated("joint_fn")
        model = nn.Sequential(Calls(lambda x: call_at_runtime(graph, x)))
        for _ in range(2):
            model(1)
            self.assert_listing(
                """
                Sequential
                  0
                """
            )

    def test_neither_is_a_graph_that_its_code_calls(self):
        root = nn.Module()
        root.true_graph_0 = generated("true_fn")
        call_at_runtime(generated("joint_fn", root, "self.true_graph_0(x)"), 1)
        self.assert_listing("")

    def test_it_is_not_the_first_model(self):
        call_at_runtime(generated("joint_fn", Model()), 1)
        Model()(1)
        self.assert_listing(MODEL)

    def test_a_name_that_says_nothing_whoever_calls_it(self):
        for graph in (generated("<lambda>"), generated("GraphModule")):
            graph(1)
            self.assert_listing("")

    def test_modules_in_a_graph_of_dynamo_keep_their_names(self):
        model = Model()
        root = nn.Module()
        root._modules = {"L__self___fc": model.fc, "L__self___head": model.head}
        graph = generated(root=root, code="self.L__self___head(self.L__self___fc(x))")
        graph.compile_subgraph_reason = "return"
        compiled = torch.compile(model)
        compiled.forward = graph
        compiled(1)
        self.assert_listing(MODEL)

    def test_a_graph_that_a_backend_returns_as_it_is(self):
        graph = generated(root=Model())
        graph.compile_subgraph_reason = "return"
        torch.compile(graph)(1)
        self.assert_listing("")

    def test_a_model_that_the_program_traces_keeps_its_names(self):
        for _ in range(2):
            traced = fx.symbolic_trace(Model())
            traced(1)
            self.assert_listing(MODEL)
            prof_torch.stop()
            prof_torch.start(steps="off")

    def test_also_where_it_is_the_second_model(self):
        first = Model()
        first(1)
        self.assert_listing(MODEL)
        fx.symbolic_trace(Model())(1)
        self.assertIn("Model.head.0", self.listing())

    def test_also_in_a_part_of_a_compiled_function_that_is_not_compiled(self):
        traced = fx.symbolic_trace(Model())
        compile_wrapper(lambda x: traced(x), 1)
        self.assert_listing(MODEL)
        compile_wrapper(fx.symbolic_trace(Model()), 1)
        self.assertIn("Model.head.0", self.listing())

    def test_also_where_it_is_compiled(self):
        traced = fx.symbolic_trace(Model())
        call_at_runtime(torch.compile(Calls(torch.compile(traced))), 1)
        self.assertIn("head.0", self.listing())

    def test_also_if_the_program_builds_it_from_parts(self):
        generated(root=Model(), code="self.head(x)")(1)
        self.assert_listing(
            """
            GraphModule
              head
                head.0
            """
        )

    def test_a_name_of_one_s_own(self):
        graph = generated("<lambda>")
        prof_torch.attach(graph, "decoder")
        call_at_runtime(graph, 1)
        self.assert_listing("decoder")

    def test_it_is_forgotten_with_its_module(self):
        graph = generated("<lambda>")
        graph(1)
        self.assertEqual(len(prof_torch._session.names.texts), 1)
        del graph
        gc.collect()
        self.assertEqual(len(prof_torch._session.names.texts), 0)


if __name__ == "__main__":
    unittest.main()
