# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Training steps: consecutive ranges `step:N`. Until an optimizer steps also the program's calls of
models, `call:N`, each of which reaches to the next: the steps of a program that trains nothing.

They are process ranges (nvtxRangeStart), not on a thread's stack: a step may end inside any ranges
the program has open, and also applies to the threads of the backward pass.
"""
import threading

#: Around a step in which neither modules nor ops are marked.
UNMARKED = '{"v":1,"mod":"prof","marked":false}'

#: So many steps are always marked: the first ones allocate, tune and make the optimizer's state, and
#: work that follows is known by a marked step that launches the same.
FIRST_MARKED = 3

#: An optimizer that steps this often while the step-ending one does not replaces it.
PATIENCE = 64


class Steps:
    """Counts steps from 0. In mode "optimizer" a step ends with the optimizer's step; if several
    optimizers take turns, with the last one's. In mode "manual" only `advance` ends a step. Of
    `mark_every` steps one is marked."""

    def __init__(
        self, nvtx, mode, on_change=lambda: None, mark_every=1, before_end=lambda number: None
    ):
        self._nvtx = nvtx
        self._mode = mode
        self._on_change = on_change  # called when a step has begun or ended
        self._mark_every = mark_every
        self._unmarked = None  # the range around an open step that is not marked
        self._before_end = before_end  # called with the number of a step that ends
        self._number = 0
        self._handle = None
        self._open_number = 0  # of the step that is open
        self._in_use = False  # the open step has seen some training
        self._was_open = False  # also if evaluation has closed it since
        # Models that were called before the training of this step and of the one before, which did
        # not train: a teacher's call is a part of each step, evaluation comes between some.
        self._called_before = set()
        self._called_before_last = set()
        # Models may be trained in eval() mode, as those that are loaded are by default. That shows
        # when an optimizer steps; the next step is then taken to be like it. None: not known yet.
        self._trains_in_evaluation = None
        self._has_trained = False  # since the last end of a step: in train() mode
        self._has_backward = False
        self._ends_with = None  # the optimizer whose step ends a step
        self._is_settled = False  # confirmed, not just the first one seen
        self._last = None  # the optimizer that stepped last
        self._deferred = []  # optimizers that stepped but are not counted yet
        self._others = 0  # optimizers' steps since the last end of a step
        self._call = None  # the range of the last call of a model
        self._calls = 0
        self._caller = None  # the thread that makes them: others work for it

    @property
    def number(self):
        """The number of the open or next step."""
        return self._number

    @property
    def is_marked(self):
        """Whether modules and ops are marked now: always outside of steps."""
        return self._handle is None or self._marks_step()

    def _marks_step(self):
        return self._number < FIRST_MARKED or self._number % self._mark_every == 0

    def on_forward(self, is_training, records, is_in_optimizer, model=None):
        """A model, identified by any hashable, is called: in train() mode; while autograd records; by
        an optimizer's step. A step begins with the first training, or with a model that was called
        before the last step's, too; evaluation between two steps belongs to neither."""
        if self._mode != "optimizer":
            return
        self.count_deferred()
        if self._ends_with is None and not is_in_optimizer:
            self._begin_call()
        is_training = is_training and records
        self._has_trained |= is_training
        if is_training or is_in_optimizer or records and self._trains_in_evaluation:
            self._in_use = True
            self._open()
        elif not self._in_use:
            self._called_before.add(model)
            if model in self._called_before_last:
                self._open()
            else:
                self._close_step()

    def on_backward(self):
        """A backward pass begins."""
        if self._mode != "optimizer":
            return
        self._has_backward = True
        if self._trains_in_evaluation is None:
            self._in_use = True
            self._open()

    def on_zero_grad(self):
        """Gradients are cleared: a step begins here, unless evaluation follows."""
        if self._mode == "optimizer":
            self.count_deferred()
            self._open()

    def defer(self, optimizer):
        """Like on_optimizer_step, but the step ends at count_deferred() or when the next one
        begins."""
        self._deferred.append(optimizer)

    def count_deferred(self):
        """Optimizers that were deferred together count as one."""
        deferred, self._deferred = tuple(self._deferred), []
        if deferred:
            self.on_optimizer_step(deferred)

    def on_optimizer_step(self, optimizer):
        """An optimizer, identified by any hashable, has stepped (or was skipped because gradients
        were not finite)."""
        if self._mode != "optimizer":
            return
        self._end_call()
        last, self._last = self._last, optimizer
        self._others += 1
        if self._ends_with is None or self._others > PATIENCE:
            self._ends_with, self._is_settled = optimizer, False
        elif optimizer == self._ends_with and last != optimizer and not self._is_settled:
            # Others have stepped since: the last of them ends a round.
            self._ends_with, self._is_settled = last, True
            return
        if optimizer == self._ends_with:
            self._others = 0
            self._trains_in_evaluation = self._has_backward and not self._has_trained
            self.advance()

    def advance(self):
        """Ends the open step and begins the next one."""
        if self._mode == "off":
            return
        if self._was_open:
            self._number += 1
        self._end()
        self._in_use = self._was_open = self._has_trained = self._has_backward = False
        self._called_before_last, self._called_before = self._called_before, set()
        self._open()

    def close(self):
        """Ends what is open."""
        self._end_call()
        self._close_step()

    def _close_step(self):
        if self._handle is not None:
            self._end()
            self._on_change()

    def _begin_call(self):
        caller = threading.get_ident()
        if self._caller is None:
            self._caller = caller
        if caller != self._caller:
            return
        self._end_call()
        self._call = self._nvtx.start("call:%d" % self._calls)
        self._calls += 1

    def _end_call(self):
        call, self._call = self._call, None
        if call is not None:
            self._nvtx.end(call)

    def _end(self):
        if self._handle is not None:
            self._before_end(self._open_number)
        for handle in (self._handle, self._unmarked):
            if handle is not None:
                self._nvtx.end(handle)
        self._handle = self._unmarked = None

    def _open(self):
        if self._handle is not None:
            return
        self._was_open = True
        if not self._marks_step():
            self._unmarked = self._nvtx.start(UNMARKED)
        self._open_number = self._number
        self._handle = self._nvtx.start("step:%d" % self._number)
        self._on_change()
