# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What an optimizer's step calls that is not its own: closures with the forward and backward pass."""
import unittest

from support import AnnotatedTest, interruptions, prof_torch, torch
from torch import nn


class WithoutGradMode(torch.optim.Optimizer):
    """Calls its closure as it is, such as apex's."""

    def step(self, closure):
        return closure()


class Sam(torch.optim.Optimizer):
    def __init__(self):
        super().__init__()
        self.base = torch.optim.Adam()

    def step(self, closure):
        with torch.no_grad():
            self.zero_grad()
            with torch.enable_grad():
                closure()
            self.base.step()


class Wraps:
    """As accelerate's AcceleratedOptimizer: no optimizer for torch, and replaces the other's step on
    the object, as learning rate schedulers do, too."""

    def __init__(self, inner, scaler=None):
        self.inner, self.scaler = inner, scaler
        self.original = inner.step
        inner.step = self.replacement

    def replacement(self, *args, **kwargs):
        return self.original(*args, **kwargs)

    def step(self, closure=None):
        if self.scaler is None:
            return self.inner.step(closure)
        self.scaler.step(self.inner, closure)
        self.scaler.update()


class Closures(AnnotatedTest):
    def begin(self, **options):
        prof_torch.start(**options)
        self.model = nn.Sequential(nn.Linear())

    def closure_of(self, *optimizers):
        def closure():
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss = self.model(1)
            torch.autograd.backward(loss)
            return loss

        return closure

    def numbers_of_steps(self, step, times=4):
        """The steps in which the model was called."""
        found = []
        started = [entry for entry in torch._C.log if entry.startswith("start ")]
        number = started[-1].partition(" ")[2] if started else None
        torch._C.log.clear()
        for _ in range(times):
            step()
        for entry in torch._C.log:
            kind, _, text = entry.partition(" ")
            if kind == "start":
                number = text
            elif kind == "end":
                number = None
            elif entry == "push Sequential":
                found.append(number)
        self.listing()  # balanced
        return found

    def each_once(self, times=4):
        return ["step:%d" % number for number in range(times)]

    def test_what_is_inside_is_marked(self):
        self.begin()
        optimizer = torch.optim.Adam()
        self.assertEqual(1, optimizer.step(self.closure_of(optimizer)))
        self.assertEqual(1, optimizer.step(closure=self.closure_of()))
        optimizer.step()
        self.assert_listing(
            """
            Adam
              {"v":1,"mod":"prof","closure_of":"Adam"}
            start step:0
                Adam
                Sequential
                  0
                {"v":1,"mod":"prof","dir":"bprop"}
            end step:0
            start step:1
            Adam
              {"v":1,"mod":"prof","closure_of":"Adam"}
                Sequential
                  0
                {"v":1,"mod":"prof","dir":"bprop"}
            end step:1
            start step:2
            Adam
            end step:2
            start step:3
            """
        )

    def test_the_closure_is_passed_on_as_it_is(self):
        seen = []

        class Looks(torch.optim.Optimizer):
            def step(self, closure):
                seen.append(closure)

        self.begin()

        def closure():
            pass

        Looks().step(closure)
        self.assertIs(seen[0], closure)

    def test_each_optimizers_step_ends_a_step(self):
        for make in (torch.optim.Adam, WithoutGradMode, Sam):
            self.begin()
            optimizer = make()
            closure = self.closure_of(optimizer)
            self.assertEqual(
                self.each_once(), self.numbers_of_steps(lambda: optimizer.step(closure))
            )
            prof_torch.stop()

    def test_an_optimizer_that_calls_its_closure_several_times(self):
        self.begin()
        optimizer = torch.optim.LBFGS()
        closure = self.closure_of(optimizer)
        self.assertEqual(
            [step for step in self.each_once() for _ in range(optimizer.calls)],
            self.numbers_of_steps(lambda: optimizer.step(closure)),
        )

    def test_wrappers_and_scalers_that_delegate(self):
        for make_scaler in (torch.amp.GradScaler, lambda: None):
            self.begin()
            inner = torch.optim.Adam()
            optimizer = Wraps(inner, make_scaler())
            closure = self.closure_of(inner)
            self.assertEqual(
                self.each_once(), self.numbers_of_steps(lambda: optimizer.step(closure))
            )
            prof_torch.stop()

    def test_accumulation_outside_of_the_closure(self):
        self.begin()
        optimizer = torch.optim.Adam()
        closure = self.closure_of()

        def step():
            closure()  # as Lightning for all but the last batch
            optimizer.step(closure)

        self.assertEqual(
            [step for step in self.each_once() for _ in range(2)], self.numbers_of_steps(step)
        )

    def test_optimizers_that_take_turns_with_closures_of_their_own(self):
        self.begin()
        optimizers = torch.optim.Adam(), torch.optim.LBFGS()
        optimizers[1].calls = 1
        closures = [self.closure_of(optimizer) for optimizer in optimizers]

        def step():
            for optimizer, closure in zip(optimizers, closures):
                optimizer.step(closure)

        step()  # which one is last is known when the first one comes again
        step()
        self.assertEqual(["step:2", "step:2", "step:3", "step:3"], self.numbers_of_steps(step, 2))

    def test_a_model_that_is_trained_in_evaluation_mode(self):
        for prepare in (lambda optimizer: None, lambda optimizer: optimizer.zero_grad()):
            self.begin()
            self.model.train(False)
            optimizer = torch.optim.Adam()
            closure = self.closure_of(optimizer)

            def step():
                prepare(optimizer)
                optimizer.step(closure)

            self.assertEqual(self.each_once(), self.numbers_of_steps(step))
            prof_torch.stop()

    def test_several_optimizers_in_one_closure(self):
        self.begin()
        outer, inner = torch.optim.Adam(), torch.optim.Adam()
        pass_both = self.closure_of(outer, inner)

        def closure():
            pass_both()
            inner.step(lambda: self.model(1))

        outer.step(closure)
        self.assertEqual(
            ["step:%d" % number for number in (1, 1, 2, 2)],
            self.numbers_of_steps(lambda: outer.step(closure), 2),
        )

    def test_a_closure_in_the_closure_of_another_optimizer(self):
        self.begin(steps="off")
        outer, inner = torch.optim.Adam(), torch.optim.LBFGS()
        inner.calls = 1
        outer.step(lambda: inner.step(lambda: self.model(1)))
        self.assert_listing(
            """
            Adam
              {"v":1,"mod":"prof","closure_of":"Adam"}
                LBFGS
                  {"v":1,"mod":"prof","closure_of":"LBFGS"}
                    Sequential
                      0
            """
        )

    def test_an_optimizer_that_hands_its_closure_to_another(self):
        class Zero(torch.optim.Optimizer):
            def step(self, closure):
                inner.step(closure)

        self.begin(steps="off")
        inner = torch.optim.Adam()
        Zero().step(lambda: self.model(1))
        self.assert_listing(
            """
            Zero
              Adam
                {"v":1,"mod":"prof","closure_of":"Zero:Adam"}
                  Sequential
                    0
            """
        )

    def test_a_model_called_without_gradients_or_in_evaluation_is_in_the_step(self):
        class Estimates(torch.optim.Optimizer):
            def step(self, closure):
                with torch.no_grad():
                    return closure() + closure()

        self.begin()
        optimizer = Estimates()
        self.model.train(False)
        self.assertEqual(
            [step for step in self.each_once() for _ in range(2)],
            self.numbers_of_steps(lambda: optimizer.step(lambda: self.model(1))),
        )

    def test_without_ops(self):
        self.begin(ops=False, record_shapes=False, steps="off")
        WithoutGradMode().step(lambda: self.model(1))
        self.assert_listing(
            """
            WithoutGradMode
              {"v":1,"mod":"prof","closure_of":"WithoutGradMode"}
                Sequential
                  0
            """
        )

    def test_gradients_turned_on_elsewhere_mean_nothing(self):
        self.begin(steps="off")
        optimizer = torch.optim.Adam()
        with torch.enable_grad():
            optimizer.zero_grad()
            self.model(1)
            optimizer.step()
        self.assertNotIn("closure", self.listing())

    def test_an_exception_in_a_closure(self):
        def fails():
            self.model(1)
            raise OSError

        self.begin()
        for optimizer in (torch.optim.Adam(), torch.optim.LBFGS(), WithoutGradMode(), Sam()):
            with self.assertRaises(OSError):
                optimizer.step(fails)
        self.listing()  # balanced

    def test_interruptions(self):
        self.begin()
        optimizer = torch.optim.Adam()
        closure = self.closure_of(optimizer)
        for _ in interruptions(lambda: optimizer.step(closure), "closures.py", "nvtx.py"):
            torch._C.state.depth, torch._C.state.grad_enabled = 0, True
            torch._C.log.clear()
            self.model(1)
            optimizer.step()
            self.assertEqual(0, torch._C.state.depth)
            self.assertNotIn("closure", self.listing())

    def test_stop_restores_what_is_wrapped(self):
        before = vars(torch.enable_grad)["__enter__"], vars(torch.enable_grad)["__exit__"]
        self.begin()
        self.assertIsNot(before[0], torch.enable_grad.__enter__)
        prof_torch.stop()
        self.assertEqual(
            before, (vars(torch.enable_grad)["__enter__"], vars(torch.enable_grad)["__exit__"])
        )

    def test_stop_in_a_closure(self):
        self.begin(steps="off")
        torch.optim.Adam().step(prof_torch.stop)
        self.listing()  # balanced


if __name__ == "__main__":
    unittest.main()
