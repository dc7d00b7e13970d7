#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Checks the captures of a model's forms (around_program.py).

usage: around_check.py PROF_REPORT FOLDER MODEL TEXT FORM...

Reads FOLDER/MODEL.FORM.db, prints the line of a table for each form and writes what is advised to
FOLDER/MODEL.advice.json. Status 1 if a form is wrong:

- steps are as many as the program's, one after another; a turn's kernels are in its step
- only set-up, evaluation and the first turn have kernels in no step, evaluation has no others
- a teacher's kernels are in the step that follows
- with a range around each step, a steady step has the same ops, directions, layers, sizes and
  FLOPs; with a teacher the same ones but for the layers, besides the teacher's
- no advice that the program rules out"""
import bisect
import collections
import csv
import io
import json
import pathlib
import subprocess
import sys

TURNS = 8
COMPARED = 4  # the turn whose step is compared: everything has settled, evaluation is not near
WORK = ("op", "dir", "m", "n", "k", "flops")
LEAST_OF_TURN = 0.8  # moving averages and the like are the next step's
# Their sizes follow from sums whose order varies, or their ops from chance.
VARYING = ("detection", "mixture_of_experts", "scheduled_sampling")
LEAST_ALIKE_VARYING = 0.9
# Each call is a step, a teacher's as well.
UNTRAINED = ("generate", "inference", "fp8", "int8", "per_sample_gradients")
# Until it is known which of several optimizers ends a step, steps are parts of a turn.
SETTLED_AT = {"twin_critics": 3}
EXTRA_STEPS = {"twin_critics": 1}
# The host waits for data: no graph can hold the step.
NO_WHOLE_GRAPH = ("detection", "mixture_of_experts", "set_prediction")
COMPILED = ("compiled_mixer",)
CHANGES = "shapes or ops change"


class Capture:
    def __init__(self, program, trace):
        self.program, self.trace = program, trace
        columns = "step,layer,launch_ns," + ",".join(WORK)
        self.rows = self.table("-r", "kernels", "-c", columns)
        self.steps = sorted(
            {
                int(row["step"])
                for row in self.table("-r", "steps")
                if row["step"] and row["unusual"] != "empty"
            }
        )
        marks = self.table(
            "--sql",
            "SELECT text, start_ns, start_ns + time_ns AS end_ns FROM nvtx_ranges "
            "WHERE kind = 'start_end' AND text GLOB 'is *' ORDER BY start_ns",
        )
        self.places = collections.defaultdict(list)
        for mark in marks:
            _, what, *number = mark["text"].split()
            span = (int(mark["start_ns"]), int(mark["end_ns"]), int(number[0]) if number else None)
            self.places[what].append(span)
        for row in self.rows:
            row["step"] = int(row["step"]) if row["step"] else None
            row["places"] = dict(self.places_of(row["launch_ns"]))
        self.advice = self.read_advice()

    def run(self, *arguments):
        return subprocess.run(
            [self.program, *arguments, self.trace], check=True, capture_output=True, text=True
        )

    def table(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run("-f", "csv", *arguments).stdout)))

    def places_of(self, launched):
        if not launched:
            return
        for what, spans in self.places.items():
            at = bisect.bisect_right(spans, int(launched), key=lambda span: span[0]) - 1
            if at >= 0 and int(launched) < spans[at][1]:
                yield what, spans[at][2]

    def read_advice(self):
        done = self.run("-r", "advice", "-f", "json")
        found = [row for row in json.loads(done.stdout) if row.get("advice")]
        words = ("rule", "advice", "gain_low_pct", "gain_high_pct", "evidence")
        return {
            "advice": [{word: row.get(word) for word in words} for row in found],
            "notes": [line for line in done.stderr.splitlines() if ": trace: " not in line],
        }

    def turns(self):
        """The rows of each turn."""
        found = collections.defaultdict(list)
        for row in self.rows:
            if "turn" in row["places"]:
                found[row["places"]["turn"]].append(row)
        return [found[turn] for turn in sorted(found)]

    def main_steps(self):
        """Of each turn: the step of most of its kernels."""
        return [
            collections.Counter(row["step"] for row in rows).most_common(1)[0][0]
            for rows in self.turns()
        ]

    def work_of(self, step, columns):
        """Of a step, without a teacher's."""
        return collections.Counter(
            tuple(row[column] for column in columns)
            for row in self.rows
            if row["step"] == step and "teacher" not in row["places"]
        )

    def in_no_step(self):
        return sum(row["step"] is None for row in self.rows)

    def says(self, text):
        return text in json.dumps(self.advice)


def step_problems(capture, name):
    """What is wrong with the steps of one capture."""
    if not capture.rows:
        yield "no kernels"
        return
    if name in UNTRAINED:
        if not capture.steps or len(capture.steps) % TURNS:
            yield f"{len(capture.steps)} calls of {TURNS} turns"
        return
    if name == "lightning":
        if len(capture.steps) != TURNS:
            yield f"{len(capture.steps)} steps of {TURNS}"
        return
    first, extra = SETTLED_AT.get(name, 1), EXTRA_STEPS.get(name, 0)
    mains = capture.main_steps()
    if None in mains[first:] or len(mains) != TURNS:
        yield f"turns in no step: {mains}"
        return
    settled = mains[first:]
    if settled != list(range(settled[0], settled[0] + len(settled))):
        yield f"steps of turns are {mains}"
    if settled[0] != first + extra:
        yield f"turn {first} is step {settled[0]}, not {first + extra}"
    # A moving average behind the last optimizer's step is in a step that nothing ends.
    extra += any(row["step"] == mains[-1] + 1 for row in capture.turns()[-1])
    if len(capture.steps) != TURNS + extra:
        yield f"{len(capture.steps)} steps, not {TURNS + extra}"
    for turn, rows in enumerate(capture.turns()[first:], first):
        here = sum(row["step"] == mains[turn] for row in rows)
        none = sum(row["step"] is None for row in rows)
        if none:
            yield f"{none} of {len(rows)} kernels of turn {turn} in no step"
        elif here < LEAST_OF_TURN * len(rows):
            yield f"{len(rows) - here} of {len(rows)} kernels of turn {turn} in other steps"
        far = [row for row in rows if "teacher" in row["places"] and row["step"] != mains[turn]]
        if far:
            yield f"{len(far)} kernels of turn {turn}'s teacher are not in its step"


def outside_problems(capture):
    """What is wrong with the teacher's and evaluation's kernels, and those in no step."""
    for what, spans in capture.places.items():
        if not any(what in row["places"] for row in capture.rows):
            yield f"no kernels of {len(spans)} x {what}"
    if len(capture.places["teacher"]) != TURNS:
        yield "no teacher"
    rows = [row for row in capture.rows if "evaluation" in row["places"]]
    inside = sum(row["step"] is not None for row in rows)
    if inside:
        yield f"{inside} of {len(rows)} kernels of evaluation in steps"
    others = collections.Counter(
        " ".join(row["places"]) or "nowhere"
        for row in capture.rows
        if row["step"] is None and not {"setup", "evaluation", "turn"} & set(row["places"])
    )
    if others:
        yield f"in no step: {dict(others)}"


def compared_step(capture):
    mains = capture.main_steps()
    usable = len(mains) > COMPARED and mains[COMPARED] is not None
    return mains[COMPARED] if usable and capture.places["turn"] else COMPARED


def difference(name, plain, other, columns):
    if name in VARYING:
        columns = [column for column in columns if column in ("layer", "op", "dir")]
    ours = plain.work_of(compared_step(plain), columns)
    theirs = other.work_of(compared_step(other), columns)
    missing, added = ours - theirs, theirs - ours
    alike = 1 - max(missing.total(), added.total()) / max(ours.total(), 1)
    if not ours or alike < (LEAST_ALIKE_VARYING if name in VARYING else 1):
        first = [str(dict(zip(columns, next(iter(one), ())))) for one in (missing, added)]
        yield (
            f"{missing.total()} of {ours.total()} kernels missing, {added.total()} others, such as "
            + ", now ".join(first)
        )


def advice_problems(capture, name):
    for row in capture.advice["advice"]:
        whole = row["advice"] == "use CUDA graphs" and "each part" not in row["evidence"]
        if name in NO_WHOLE_GRAPH and whole:
            yield "advises a graph of a step that waits or varies"
    if name in COMPILED and capture.says("torch.compile"):
        yield "advises to compile what is compiled"


def compare_problems(name, form, plain, other):
    if form == "ranged":
        yield from difference(name, plain, other, ("layer",) + WORK)
        if len(plain.steps) != len(other.steps):
            yield f"{len(other.steps)} steps, {len(plain.steps)} without ranges"
        if plain.in_no_step() != other.in_no_step():
            yield f"{other.in_no_step()} in no step, {plain.in_no_step()} without ranges"
    if form == "taught":
        yield from difference(name, plain, other, WORK)
        yield from outside_problems(other)
    if other.says(CHANGES) and not plain.says(CHANGES) and name not in SETTLED_AT:
        yield CHANGES + ", which they do not without ranges and teachers"


def main():
    program, folder, name, text, *forms = sys.argv[1:]
    folder, advice, failed, plain = pathlib.Path(folder), {}, 0, None
    for form in forms:
        capture = Capture(program, str(folder / f"{name}.{form}.db"))
        advice[form] = capture.advice
        problems = list(step_problems(capture, name))
        problems += advice_problems(capture, name)
        if form == "plain":
            plain = capture
        else:
            problems += compare_problems(name, form, plain, capture)
        failed |= bool(problems)
        kernels = capture.work_of(compared_step(capture), WORK).total()
        around = f"in '{text.replace('_', ' ')}'" if form == "ranged" else ""
        print(
            f"| {name} | {form} {around} | {len(capture.steps)} | {kernels} | "
            f"{capture.in_no_step()} | {'WRONG' if problems else 'right'} |"
        )
        for problem in problems:
            print(f"  {problem}")
    with open(folder / f"{name}.advice.json", "w", encoding="utf-8") as file:
        print(json.dumps({"model": name, **advice}), file=file)
    return failed


if __name__ == "__main__":
    sys.exit(main())
