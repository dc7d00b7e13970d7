#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the kernels of programs that run their passes inside an optimizer's step are what they are where
the same passes run outside of any optimizer (optimizer_programs.py): op, layer, direction, provenance.

usage: optimizer_closures.py list MODE
       optimizer_closures.py check PROF_REPORT FOLDER MODE PROGRAM...

FOLDER has PROGRAM.MODE.db and PROGRAM.MODE.json, the program's own count of its calls. The modes observed
and marked are those of prof_torch; nvtx (torch's emit_nvtx alone) and kineto have neither layers nor marks
of closures. Steps are numbered by prof_torch, in the mode nvtx by the program, in kineto not at all.
"""
import collections
import importlib.util
import json
import subprocess
import sys

# The reference runs the same closure before the step. Updates: the ops and layers of the optimizers'
# own work; None: as in the reference. Hooks: kernels that a hook adds, as ops of adamw. Extra: a framework
# may add passes of its own outside of layers.
Program = collections.namedtuple(
    "Program",
    "reference updates hooks told_only extra needs",
    defaults=("loop", None, 0, False, False, None),
)
PROGRAMS = {
    "loop": Program(),
    "loop_scaled": Program("loop_scaled"),
    "loop_autocast": Program("loop_autocast"),
    "adamw": Program(),
    "scaled": Program("loop_scaled"),
    "autocast": Program("loop_autocast"),
    "trainer": Program(),
    "accumulate": Program(),
    "lbfgs": Program(updates={("lbfgs", "LBFGS"), ("zero_grad", "LBFGS")}),
    "sam": Program(updates={("sam", "Sam"), ("adamw", "Sam:AdamW"), ("zero_grad", "Sam")}),
    "nested": Program(
        updates={("adamw", "AdamW"), ("sgd", "SGD"), ("zero_grad", "AdamW"), ("zero_grad", "SGD")}
    ),
    "hooks": Program(hooks=4),
    "hooks_closure": Program(hooks=4, told_only=True),
    "accelerate": Program(needs="accelerate"),
    "lightning": Program(told_only=True, extra=True, needs="lightning"),
}
TOLD = ("observed", "marked")

# Never recorded by autograd: where nothing is told, what a closure fills is taken for the optimizer's (the
# gradient that a backward pass begins with).
FILLS = {"aten::fill_", "aten::ones_like"}

# Of the reference, where layers are told: what it must have at least.
KNOWN = {
    ("first", "linear", "fprop"),
    ("second", "linear", "fprop"),
    ("", "mse_loss", "fprop"),
    ("first", "linear", "bprop"),
    ("second", "linear", "bprop"),
    ("", "mse_loss", "bprop"),
}


def names_for(mode):
    """Programs that this mode can tell and this machine can run."""
    for name, program in PROGRAMS.items():
        if program.told_only and mode not in TOLD:
            continue
        if program.needs and importlib.util.find_spec(program.needs) is None:
            print(f"NOT TESTED: {name}: no {program.needs} for python3", file=sys.stderr)
            continue
        yield name


def rows_of(report, trace):
    command = [report, "-f", "json", "-c", "step,dir,layer,op,op_inner,kernel,provenance", trace]
    return json.loads(
        subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
        ).stdout
    )


def is_update(row):
    return row["dir"] == "update"


def keys_of(rows):
    return collections.Counter(
        (
            row["layer"] or "",
            row["op"],
            row["dir"],
            row["op_inner"],
            row["kernel"],
            *sorted(row["provenance"].items()),
        )
        for row in rows
    )


def times(counter, factor):
    return collections.Counter({key: count * factor for key, count in counter.items()})


class Traces:
    def __init__(self, report, folder, mode):
        self.report, self.folder, self.mode = report, folder, mode

    def steps_of(self, name):
        """The rows of each measured step and its calls of the closure; a trace without steps is one."""
        rows = rows_of(self.report, f"{self.folder}/{name}.{self.mode}.db")
        if self.mode not in TOLD:
            rows = [row for row in rows if row["op_inner"] not in FILLS]
        with open(f"{self.folder}/{name}.{self.mode}.json", encoding="utf-8") as file:
            told = json.load(file)
        calls, warm = told["calls"], told["warm"]
        if self.mode == "kineto":
            return [(rows, sum(calls[warm:]))], []
        numbers = {row["step"] for row in rows if row["step"] is not None}
        wrong = [] if numbers == set(range(len(calls))) else [f"steps {sorted(numbers)}"]
        measured = range(warm, len(calls))
        return [([row for row in rows if row["step"] == n], calls[n]) for n in measured], wrong

    def check(self, name):
        program = PROGRAMS[name]
        steps, wrong = self.steps_of(name)
        reference, _ = self.steps_of(program.reference)
        for (rows, calls), (other, other_calls) in zip(steps, reference):
            passes = keys_of(row for row in rows if not is_update(row))
            if calls % other_calls or not passes:
                return [f"{calls} calls of the closure, {sum(passes.values())} kernels"]
            once = keys_of(row for row in other if not is_update(row))
            expected = times(once, calls // other_calls)
            more, less = passes - expected, expected - passes
            if program.extra:
                more = collections.Counter(
                    {key: n for key, n in more.items() if key[0] or not key[2]}
                )
            wrong += [f"not as outside: {n} x {key}" for key, n in more.items()]
            wrong += [f"missing: {n} x {key}" for key, n in less.items()]
            wrong += self.check_updates(program, rows, other, other_calls)
            if self.mode in TOLD:
                found = {key[:3] for key in passes}
                wrong += [f"no {key}" for key in KNOWN - found]
        return wrong

    def check_updates(self, program, rows, other, steps):
        own = keys_of(filter(is_update, rows))
        if program.updates is not None:
            is_told = self.mode in TOLD
            if not is_told:  # kernels of zero_grad may be FILLS
                own = {key: n for key, n in own.items() if key[1] != "zero_grad"}
            found = {(key[1], key[0] if is_told else "") for key in own}
            expected = {
                (op, layer if is_told else "")
                for op, layer in program.updates
                if is_told or op != "zero_grad"
            }
            return [] if found == expected else [f"updates {sorted(found)}"]
        expected = keys_of(filter(is_update, other))
        more, less = own - expected, expected - own
        count = sum(more.values())
        wrong = [f"update missing: {n} x {key}" for key, n in less.items()]
        if count != program.hooks * steps or any(key[1] != "adamw" for key in more):
            wrong += [f"update: {n} x {key}" for key, n in more.items()]
        return wrong


def check(report, folder, mode, *names):
    good = True
    for name in names:
        traces = Traces(report, folder, mode)
        wrong = traces.check(name)
        steps, _ = traces.steps_of(name)
        rows = [row for step, _ in steps for row in step]
        print(
            f"| {mode} | {name} | {len(rows)} | {sum(map(is_update, rows))} | "
            f"{'WRONG' if wrong else 'as outside'} |"
        )
        for line in wrong[:12]:
            print(f"  {line}")
        good = good and not wrong
    return 0 if good else 1


def main():
    command, *args = sys.argv[1:]
    if command == "list":
        print(*names_for(args[0]))
        return 0
    return check(*args)


if __name__ == "__main__":
    sys.exit(main())
