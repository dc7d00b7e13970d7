# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Where training steps begin and end."""
import threading
import unittest

from support import AnnotatedTest, interruptions, prof_torch, torch
from torch import nn


class Steps(AnnotatedTest):
    def begin(self, **options):
        prof_torch.start(**options)
        self.model = nn.Sequential(nn.Linear())

    def steps(self):
        """The order of events: f a call of a model, u an optimizer's step, 0( and )0 a step's ends."""
        words = []
        for entry in torch._C.log:
            kind, _, text = entry.partition(" ")
            if text.startswith("call:"):
                continue
            if kind == "start":
                words.append(text.replace("step:", "") + "(")
            elif kind == "end":
                words.append(")")
            elif entry in ("push Sequential", "push layer:Sequential"):  # The second model's name.
                words.append("f")
            elif text.startswith("Optimizer.step"):
                words.append("u")
            elif text.startswith("Optimizer.zero_grad"):
                words.append("z")
        torch._C.log.clear()
        return " ".join(words)

    def calls(self):
        """Begins and ends of calls of models, and of steps."""
        found = [entry for entry in torch._C.log if entry.split()[0] in ("start", "end")]
        torch._C.log.clear()
        return found

    def test_calls_of_models_where_no_optimizer_runs(self):
        self.begin()
        self.model.train(False)
        for _ in range(2):
            self.model(1)
        prof_torch.stop()
        self.assertEqual(self.calls(), ["start call:0", "end call:0", "start call:1", "end call:1"])

    def test_calls_are_told_until_an_optimizer_steps(self):
        self.begin()
        optimizer = torch.optim.Adam()
        self.model(1)
        self.model(1)
        optimizer.step()
        self.model(1)
        self.assertEqual(
            self.calls(),
            [
                "start call:0",
                "start step:0",
                "end call:0",
                "start call:1",
                "end call:1",
                "end step:0",
                "start step:1",
            ],
        )

    def test_calls_by_other_threads_work_for_the_first_one(self):
        self.begin()
        self.model.train(False)
        self.model(1)
        other = threading.Thread(target=self.model, args=(1,))
        other.start()
        other.join()
        self.assertEqual(self.calls(), ["start call:0"])

    def test_only_an_optimizers_absence_makes_calls_steps(self):
        for mode in ("manual", "off"):
            self.begin(steps=mode)
            self.model(1)
            self.assertEqual(self.calls(), [])
            prof_torch.stop()

    def test_one_optimizer(self):
        self.begin()
        optimizer = torch.optim.Adam()
        for _ in range(2):
            optimizer.zero_grad()
            self.model(1)
            optimizer.step()
        prof_torch.stop()
        self.assertEqual(self.steps(), "0( z f u ) 1( z f u ) 2( )")

    def train_in_evaluation_mode(self, optimizer):
        self.model.train(False)
        self.model(1)
        torch.autograd.backward(1)
        optimizer.step()

    def test_training_in_evaluation_mode(self):
        self.begin()
        optimizer = torch.optim.Adam()
        for _ in range(3):
            self.train_in_evaluation_mode(optimizer)
        self.assertEqual(
            self.steps(),
            "f 0( u ) 1( f u ) 2( f u ) 3(",
            "that it is training shows at the first backward pass",
        )

    def test_each_step_of_an_optimizer_counts_when_training_goes_on_in_evaluation_mode(self):
        self.begin()
        optimizer = torch.optim.Adam()
        self.model(1)
        optimizer.step()
        for _ in range(3):
            optimizer.zero_grad()
            self.train_in_evaluation_mode(optimizer)
        self.model.train(True)
        self.model(1)
        optimizer.step()
        self.model.train(False)
        self.model(1)
        self.assertEqual(self.steps(), "0( f u ) 1( z ) f u 2( z f u ) 3( z f u ) 4( f u ) 5( ) f")

    def test_a_backward_pass_in_an_evaluation_is_no_step(self):
        self.begin()
        optimizer = torch.optim.Adam()
        for _ in range(2):
            self.model.train(True)
            self.model(1)
            torch.autograd.backward(1)
            optimizer.step()
            self.model.train(False)
            self.model(1)
            torch.autograd.backward(1)
        # The second evaluation comes after each step, as far as is known: it belongs to them.
        self.assertEqual(self.steps(), "0( f u ) 1( ) f 1( f u ) 2( f")

    def test_gradient_accumulation(self):
        self.begin()
        optimizer = torch.optim.Adam()
        for _ in range(2):
            for _ in range(3):
                self.model(1)
            optimizer.step()
        self.assertEqual(self.steps(), "0( f f f u ) 1( f f f u ) 2(")

    def test_a_step_that_the_scaler_skips_is_one(self):
        self.begin()
        optimizer, scaler = torch.optim.Adam(), torch.amp.GradScaler()
        for finite in (True, False, True):
            scaler.finite = finite
            self.model(1)
            scaler.step(optimizer)
            scaler.update()
        self.assertEqual(self.steps(), "0( f u ) 1( f ) 2( f u ) 3(")

    def test_the_scaler_s_update_belongs_to_the_step(self):
        self.begin()
        optimizers, scaler = [torch.optim.Adam(), torch.optim.Adam()], torch.amp.GradScaler()
        for _ in range(3):
            self.model(1)
            for optimizer in optimizers:
                scaler.step(optimizer)
            torch._C.log.append("push Sequential")  # stands for what update() launches
            scaler.update()
        self.assertEqual(self.steps(), "0( f u u f ) 1( f u u f ) 2( f u u f ) 3(")

    def test_a_scaler_that_is_never_updated(self):
        self.begin()
        optimizer, scaler = torch.optim.Adam(), torch.amp.GradScaler()
        for _ in range(2):
            self.model(1)
            scaler.step(optimizer)
        optimizer.zero_grad()
        self.assertEqual(self.steps(), "0( f u ) 1( f u ) 2( z")

    def test_two_optimizers_of_one_class_that_take_turns(self):
        self.begin()
        one, other = torch.optim.Adam(), torch.optim.Adam()
        for _ in range(4):
            self.model(1)
            one.step()
            self.model(1)
            other.step()
        # Which one ends a round is known when the first one comes again.
        self.assertEqual(self.steps(), "0( f u ) 1( f u f u f u ) 2( f u f u ) 3( f u f u ) 4(")

    def test_one_optimizer_several_times_a_round(self):
        self.begin()
        critic, generator = torch.optim.Adam(), torch.optim.Adam()
        for _ in range(3):
            for optimizer in (critic, critic, generator):
                optimizer.step()
        prof_torch.stop()
        self.assertEqual(self.steps(), "u 0( u ) 1( u u u u ) 2( u u u ) 3( )")

    def test_an_optimizer_that_is_used_no_more(self):
        self.begin()
        first, second = torch.optim.Adam(), torch.optim.Adam()
        first.step()
        for _ in range(200):
            second.step()
        self.assertGreater(prof_torch._session.steps.number, 100)

    def test_an_optimizer_inside_another(self):
        class Wraps(torch.optim.Adam):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def step(self):
                self.inner.step()

        self.begin()
        optimizer = Wraps(torch.optim.Adam())
        for _ in range(2):
            self.model(1)
            optimizer.step()
        self.assertEqual(self.steps(), "0( f u u ) 1( f u u ) 2(")

    def test_evaluation_between_steps_belongs_to_none(self):
        self.begin()
        optimizer = torch.optim.Adam()
        self.model(1)
        optimizer.step()
        self.model.train(False)
        self.model(1)
        self.model.train()
        with torch.no_grad():
            self.model(1)
        self.model(1)
        optimizer.step()
        self.assertEqual(self.steps(), "0( f u ) 1( ) f f 1( f u ) 2(")

    def test_layers_that_a_function_of_the_program_calls_are_trained(self):
        self.begin()
        model = self.model

        class Checkpoint(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return model(x)

        optimizer = torch.optim.Adam()
        for _ in range(2):
            optimizer.zero_grad()
            Checkpoint.apply(1)
            optimizer.step()
        with torch.no_grad():
            Checkpoint.forward(None, 1)  # evaluation
        self.assertEqual(self.steps(), "0( z f u ) 1( z f u ) 2( ) f")

    def test_a_teachers_call_is_a_part_of_each_step(self):
        self.begin()
        optimizer, teacher = torch.optim.Adam(), nn.Sequential(nn.Linear())
        teacher.train(False)
        for _ in range(3):
            with torch.no_grad():
                teacher(1)
            self.model(1)
            optimizer.step()
        # The first one might have been an evaluation.
        self.assertEqual(self.steps(), "f 0( f u ) 1( f f u ) 2( f f u ) 3(")

    def test_evaluation_between_some_steps_belongs_to_none_where_a_teacher_belongs_to_all(self):
        self.begin()
        optimizer, teacher = torch.optim.Adam(), nn.Sequential(nn.Linear())
        teacher.train(False)
        for step in range(4):
            if step == 2:
                self.model.train(False)
                with torch.no_grad():
                    self.model(1)
                self.model.train()
            with torch.no_grad():
                teacher(1)
            self.model(1)
            optimizer.step()
        self.assertEqual(self.steps(), "f 0( f u ) 1( f f u ) 2( ) f 2( f f u ) 3( f f u ) 4(")

    def test_evaluation_alone_has_no_steps(self):
        self.begin()
        with torch.no_grad():
            self.model(1)
        self.assertEqual(self.steps(), "f")

    def test_steps_by_hand(self):
        self.begin(steps="manual")
        optimizer = torch.optim.Adam()
        prof_torch.step()
        for _ in range(2):
            self.model(1)
            optimizer.step()
            prof_torch.step()
        prof_torch.stop()
        self.assertEqual(self.steps(), "0( f u ) 1( f u ) 2( )")

    def test_off_and_unknown(self):
        self.begin(steps="off")
        self.model(1)
        torch.optim.Adam().step()
        prof_torch.step()
        prof_torch.stop()
        self.assertEqual(self.steps(), "f u")
        with self.assertRaises(ValueError):
            prof_torch.start(steps="sometimes")
        self.assertFalse(prof_torch.is_active())

    def test_an_exception_in_a_step(self):
        class Fails(torch.optim.Adam):
            def step(self):
                raise OSError

        self.begin()
        optimizer = Fails()
        with self.assertRaises(OSError):
            optimizer.step()
        self.listing()  # balanced

    def marks(self, steps):
        """By step: whether it has layers."""
        self.optimizer = getattr(self, "optimizer", None) or torch.optim.Adam()
        found = []
        for _ in range(steps):
            self.optimizer.zero_grad()
            torch._C.log.clear()
            self.model(1)
            found.append(any(entry.startswith("push layer:0") for entry in torch._C.log))
            self.optimizer.step()
        return found

    def process_ranges(self):
        return [
            entry if entry.startswith("start") else "end"
            for entry in torch._C.log
            if entry.split()[0] in ("start", "end") and " call:" not in entry
        ]

    def test_of_some_steps_one_is_marked(self):
        self.begin(mark_every=4)
        self.assertEqual(
            self.marks(10), [True] * 3 + [False, True, False, False, False, True, False]
        )

    def test_a_step_that_is_not_marked_says_so(self):
        self.begin(mark_every=4)
        self.marks(3)
        self.assertEqual(
            self.process_ranges(),
            ["end", 'start {"v":1,"mod":"prof","marked":false}', "start step:3"],
        )
        self.marks(1)
        self.assertEqual(self.process_ranges(), ["end", "end", "start step:4"])

    def test_ops_follow_the_marks_and_return_after_them(self):
        self.begin(mark_every=4)
        self.marks(3)
        self.assertIsNone(torch._C.state.profiler)
        self.marks(1)
        self.assertIsNotNone(torch._C.state.profiler)

    def test_evaluation_between_steps_is_marked(self):
        self.begin(mark_every=4)
        self.marks(3)
        self.model.training = False
        torch._C.log.clear()
        self.model(1)
        self.assertIn("push layer:0", torch._C.log)

    def test_mark_every_needs_steps(self):
        for options in (
            {"mark_every": 0},
            {"mark_every": "2"},
            {"mark_every": 2, "steps": "off"},
            {"mark_every": 2, "layers": False},
        ):
            with self.assertRaises(ValueError):
                prof_torch.start(**options)

    def test_a_record_function_that_cannot_begin(self):
        self.begin()
        torch._C.fails = False

        class Log(list):
            def append(self, entry):
                if torch._C.fails and entry.startswith("op Optimizer"):
                    raise MemoryError
                super().append(entry)

        kept, torch._C.log = torch._C.log, Log()
        self.addCleanup(setattr, torch._C, "log", kept)
        optimizer = torch.optim.Adam()
        torch._C.fails = True
        with self.assertRaises(MemoryError):
            optimizer.step()
        torch._C.fails = False
        self.listing()  # balanced
        self.model(1)
        optimizer.step()
        self.assertIn("u ) 1(", self.steps())

    def test_interruptions(self):
        self.begin()
        optimizer = torch.optim.Adam()
        for _ in interruptions(optimizer.step, "optimizers.py", "nvtx.py"):
            self.assertLessEqual(torch._C.state.depth, 1)
            torch._C.state.depth = 0
            torch._C.log.clear()
            self.model(1)
            optimizer.step()
            self.assertEqual(0, torch._C.state.depth)
            self.assertIn("u )", self.steps())


if __name__ == "__main__":
    unittest.main()
