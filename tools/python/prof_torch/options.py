# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What start() may be asked for."""

#: What ends a training step: the optimizer's step, the program's step(), nothing.
STEPS = ("optimizer", "manual", "off")

#: When modules and ops are marked.
MARK = ("wanted", "always")


class Options:
    """layers: ranges of modules and optimizers. ops: torch's ops. record_shapes: with shapes.
    steps: one of STEPS. mark: "wanted": modules and ops only while the profiler needs them;
    "always". mark_every: of so many steps one is marked, besides the first ones. observe: ops by
    libprof_torch.so where it can, else by emit_nvtx."""

    def __init__(
        self,
        layers=True,
        ops=True,
        record_shapes=True,
        steps="optimizer",
        mark="wanted",
        mark_every=1,
        observe=True,
    ):
        for name, value, known in (("steps", steps, STEPS), ("mark", mark, MARK)):
            if value not in known:
                raise ValueError("%s must be one of %s, not %r" % (name, ", ".join(known), value))
        if not isinstance(mark_every, int) or mark_every < 1:
            raise ValueError("mark_every must be a whole number from 1, not %r" % (mark_every,))
        if mark_every > 1 and (steps == "off" or not layers):
            raise ValueError("mark_every needs steps, and layers, which show where steps end")
        self.layers = layers
        self.ops = ops
        self.record_shapes = record_shapes
        self.steps = steps
        self.mark = mark
        self.mark_every = mark_every
        self.observe = observe
