# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The ranges of modules: their names, and that they are balanced whatever happens."""
import copy
import gc
import sys
import threading
import unittest

from support import AnnotatedTest, interruptions, prof_torch, torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear()

    def forward(self, x):
        return self.query(x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear()

    def forward(self, x):
        for block in self.layer:
            x = block(x)
        return self.head(x)


MODEL = """\
Model
  layer.0
    layer.0.query
  layer.1
    layer.1.query
  head
"""


class Layers(AnnotatedTest):
    def setUp(self):
        super().setUp()
        prof_torch.start(steps="off")

    def test_modules_have_their_qualified_names(self):
        model = Model()
        model(1)
        self.assert_listing(MODEL)
        model(1)
        self.assert_listing(MODEL)

    def test_the_first_model_has_no_prefix_and_its_own_name_is_a_plain_range(self):
        Model()(1)
        self.assertEqual(torch._C.log[0], "push Model")
        self.assertEqual(torch._C.log[1], "push layer:layer.0")

    def test_arguments_and_results_pass_through(self):
        class Adds(nn.Module):
            def forward(self, x, *, y):
                return x + y

        self.assertEqual(Adds()(2, y=3), 5)

    def test_a_module_that_is_called_twice(self):
        linear = nn.Linear()
        nn.Sequential(linear)(linear(1))
        self.assert_listing(
            """
            Linear
            Sequential
              0
            """
        )

    def test_a_shared_module_has_the_name_of_the_place_where_it_is_called(self):
        class Tied(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = nn.Linear()
                self.encoder, self.decoder = Block(), Block()
                self.encoder.query = self.decoder.query = self.embedding

            def forward(self, x):
                return self.decoder(self.encoder(self.embedding(x)))

        Tied()(1)
        self.assert_listing(
            """
            Tied
              embedding
              encoder
                encoder.query
              decoder
                decoder.query
            """
        )

    def test_wrappers_have_no_name(self):
        for wrap in (
            nn.DistributedDataParallel,
            torch.compile,
            lambda m: torch.compile(nn.DistributedDataParallel(m)),
        ):
            wrap(Model())(1)
            self.assertIn("layer.1.query", self.listing())
            prof_torch.stop()
            prof_torch.start(steps="off")

    def test_a_compiled_module_has_its_range_though_its_own_call_is_not_seen(self):
        model = Model()
        model.head = torch.compile(nn.DistributedDataParallel(model.head))
        model(1)  # as where compiling gave up: the module's own call is seen too
        self.assert_listing(MODEL)
        model.head.forward = lambda x: x
        model(1)
        self.assert_listing(MODEL)

    def test_replicas_of_data_parallel_in_their_threads(self):
        model = nn.DataParallel(Model())
        model(1)
        model(1)
        self.assert_listing(MODEL * 4)
        gc.collect()
        self.assertLess(len(prof_torch._session.names.texts), 2 * sum(1 for _ in model.modules()))

    def test_other_models_are_told_apart_by_their_class(self):
        first, second, third, loss = Model(), Block(), Block(), nn.MSELoss()
        for module in (first, second, third, loss, nn.MSELoss(), second):
            module(1)
        self.assert_listing(
            MODEL
            + """\
Block
  Block.query
Block#2
  Block#2.query
MSELoss
MSELoss
Block
  Block.query
"""
        )

    def test_a_name_of_one_s_own(self):
        model = Model()
        prof_torch.attach(model, "generator")
        Block()(1)
        model.head(1)
        self.assert_listing(
            """
            Block
              query
            generator.head
            """
        )

    def test_a_model_around_one_that_was_called_alone_before(self):
        block = Block()
        block(1)
        self.listing()
        nn.Sequential(block)(1)
        self.assert_listing(
            """
            Sequential
              0
                0.query
            """
        )

    def test_modules_that_come_later(self):
        model = Model()
        model(1)
        self.listing()
        model.layer._modules["1"].query = nn.Sequential(nn.ReLU())

        class Makes(nn.Module):
            def forward(self, x):
                return nn.ReLU()(x)

        model.head = Makes()
        model(1)
        self.assert_listing(
            """
            Model
              layer.0
                layer.0.query
              layer.1
                layer.1.query
                  layer.1.query.0
              head
                head.ReLU
            """
        )

    def test_names_go_with_their_modules(self):
        model = Model()
        model(1)
        names = prof_torch._session.names
        self.assertEqual(len(names.texts), 7)
        del model
        gc.collect()
        self.assertEqual(len(names.texts), 0)
        self.assertEqual(len(names._references), 0)

    def test_a_copy_is_a_model_of_its_own(self):
        model = Model()
        model(1)
        self.listing()
        copy.deepcopy(model)(1)
        self.assertIn("Model.layer.1.query", self.listing())

    def test_exceptions_leave_no_range_open(self):
        class Fails(nn.Module):
            def forward(self, x):
                raise KeyError(x)

        model = Model()
        model.layer._modules["1"].query = Fails()
        with self.assertRaises(KeyError):
            model(1)
        self.assert_listing(
            """
            Model
              layer.0
                layer.0.query
              layer.1
                layer.1.query
            """
        )
        model.head(1)
        self.assert_listing("head")

    def test_ranges_that_an_exception_leaves_open_end_with_their_module(self):
        class Leaves(nn.Module):
            def forward(self, x):
                torch._C._nvtx.rangePushA("left")
                raise KeyError(x)

        model = nn.Sequential(nn.Sequential(Leaves()))
        with self.assertRaises(KeyError):
            model(1)
        self.assertEqual(0, torch._C.state.depth)

    def test_a_program_s_range_from_one_call_to_the_next_is_its_own(self):
        class Begins(nn.Module):
            def forward(self, x):
                torch._C._nvtx.rangePushA("from one")

        class Ends(nn.Module):
            def forward(self, x):
                torch._C._nvtx.rangePop()

        nn.Sequential(Begins(), Ends())(1)
        self.assertEqual(4, torch._C.log.count("pop"))
        self.assertEqual(0, torch._C.state.depth)

    def test_interruptions(self):
        model = Model()
        model(1)
        listing = self.listing()
        count = 0
        for count in interruptions(lambda: model(1), "layers.py"):
            with self.subTest(count):
                # The first push alone may have been told to nobody.
                left = torch._C.state.depth
                self.assertLessEqual(left, torch._C.log == ["push Model"])
                torch._C.log.clear()
                model(1)
                self.assert_listing(listing)
                torch._C.state.depth -= left
        self.assertGreater(count, 20)

    def test_no_frame_is_added(self):
        class Deep(nn.Module):
            def forward(self, x):
                depth, frame = 0, sys._getframe()
                while frame is not None:
                    depth, frame = depth + 1, frame.f_back
                return depth

        model = nn.Sequential(nn.Sequential(Deep()))
        annotated = model(1)
        prof_torch.stop()
        self.assertEqual(model(1), annotated)

    def test_a_module_that_was_compiled_in_place(self):
        model = nn.Sequential(nn.Linear())
        model._compiled_call_impl = lambda x: x + 1
        self.assertEqual(2, model(1))
        self.assert_listing("Sequential")

    def test_a_call_that_someone_has_wrapped_before(self):
        prof_torch.stop()
        theirs = nn.Module.__call__
        nn.Module.__call__ = lambda self, *args: theirs(self, *args) + 1
        try:
            prof_torch.start(steps="off")
            self.assertEqual(2, nn.Linear()(1))
            self.assert_listing("Linear")
            prof_torch.stop()
        finally:
            nn.Module.__call__ = theirs

    def test_a_frozen_module_says_nothing_of_training(self):
        class Frozen(nn.Module):
            def __init__(self):
                super().__init__()
                self.__dict__.pop("training", None)

            def __getattr__(self, name):
                raise AttributeError("'RecursiveScriptModule' has no attribute '%s'" % name)

            def forward(self):
                return "done"

        prof_torch.start(mark="always", ops=False)
        self.assertEqual("done", Frozen()())
        prof_torch.stop()

    def test_a_class_that_cannot_be_a_key(self):
        class Kind(type):
            __hash__ = None

            def __eq__(cls, other):
                return cls is other

        class Odd(nn.Module, metaclass=Kind):
            def forward(self):
                return "done"

        for ops in (False, True):
            prof_torch.start(mark="always", ops=ops)
            self.assertEqual("done", Odd()())
            prof_torch.stop()

    def test_stop_in_the_middle_of_a_call(self):
        class Stops(nn.Module):
            def forward(self, x):
                prof_torch.stop()

        model = nn.Sequential(Stops(), nn.ReLU())
        model(1)
        self.assert_listing(
            """
            Sequential
              0
            """
        )

    def test_stop_takes_everything_back(self):
        prof_torch.stop()
        record_function = torch.autograd.profiler.record_function
        before = [
            dict(vars(o))
            for o in (
                nn.Module,
                record_function,
                torch.amp.GradScaler,
                nn.utils,
                torch.autograd,
                torch.autograd.profiler,
            )
        ]
        prof_torch.start()
        self.assertIsNot(vars(nn.Module)["__call__"], before[0]["__call__"])
        prof_torch.stop()
        after = [
            dict(vars(o))
            for o in (
                nn.Module,
                record_function,
                torch.amp.GradScaler,
                nn.utils,
                torch.autograd,
                torch.autograd.profiler,
            )
        ]
        self.assertEqual(before, after)
        Model()(1)
        self.assert_listing("")

    def test_what_someone_else_wrapped_since_stays(self):
        ours = nn.Module.__call__
        nn.Module.__call__ = lambda self, *args: ours(self, *args)
        try:
            prof_torch.stop()
            Model()(1)
            self.assert_listing("")
        finally:
            nn.Module.__call__ = nn.Module._wrapped_call_impl

    def test_a_compiler_sees_nothing(self):
        torch.compiler.compiling = True
        try:
            Model()(1)
        finally:
            torch.compiler.compiling = False
        self.assert_listing("")

    def test_a_module_in_another_thread_has_its_whole_name(self):
        model = Model()
        model(1)
        self.listing()
        thread = threading.Thread(target=model.layer._modules["1"], args=(1,))
        thread.start()
        thread.join()
        self.assert_listing(
            """
            layer.1
              layer.1.query
            """
        )

    def test_modules_that_contain_themselves(self):
        model = Model()
        model.head.parent = model
        model(1)
        self.assertIn("layer.0.query", self.listing())

    def test_optimizers_scalers_and_clipping_are_layers_and_say_the_direction(self):
        optimizer, scaler = torch.optim.Adam(), torch.amp.GradScaler()
        optimizer.zero_grad()
        scaler.scale(1)
        scaler.unscale_(optimizer)
        self.assertEqual(nn.utils.clip_grad_norm_([], 2.0), 2.0)
        scaler.step(optimizer)
        scaler.update()
        self.assert_listing(
            """
            Adam
            GradScaler
            GradScaler
              {"v":1,"mod":"prof","dir":"update"}
            clip_grad_norm_
              {"v":1,"mod":"prof","dir":"update"}
            Adam
            GradScaler
              {"v":1,"mod":"prof","dir":"update"}
            """
        )

    def test_backward_says_the_direction(self):
        torch.autograd.backward(3)
        self.assert_listing('{"v":1,"mod":"prof","dir":"bprop"}')

    def test_grad_says_it_too_and_returns_what_torch_does(self):
        self.assertEqual((1, 2), torch.autograd.grad(3, (1, 2)))
        self.assert_listing('{"v":1,"mod":"prof","dir":"bprop"}')


if __name__ == "__main__":
    unittest.main()
