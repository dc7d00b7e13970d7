// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a step is on the time axis.
import type { Model, Table } from "../../data/model";
import type { Side } from "../../data/document";
import type { Span } from "../axis";
import { numbersOf, type Scene } from "./scene";

export const stepsOf = (model: Model, side: Side): Table | undefined =>
  model.table("steps") ?? model.table("steps", side);

/** From the first launch for the step to the end of its period on all GPUs; without a report of
 *  steps, to the end of its last work. */
export function stepSpan(steps: Table | undefined, scene: Scene, step: number | null): Span | null {
  if (step === null) return null;
  const work = scene.tracks.find((track) => track.kind === "work")?.table;
  const spans = [
    steps && spanIn(steps, "start_ns", "period_ns", step),
    work && spanIn(work, "launch_ns", "launch_time_ns", step),
    work && spanIn(work, "start_ns", "time_ns", step),
  ].filter((span) => span !== null && span !== undefined);
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(...spans.map((span) => span.to));
  return from < to ? { from, to } : null;
}

/** The step to begin with: the one whose rows the first advice shows, or else the usual one whose
 *  period is nearest to the median. */
export function typicalStep(steps: Table | undefined, advice: Table | undefined): number | null {
  const asShown = / --step (\d+)/.exec(advice?.text("show", 0) ?? "")?.[1];
  if (asShown !== undefined) return Number(asShown);
  let [best, least] = [-1, Infinity];
  for (let row = 0; steps && row < steps.rows; ++row) {
    const away = Math.abs(steps.number("from_median_pct", row));
    if (steps.text("unusual", row) === null && away < least) [best, least] = [row, away];
  }
  return steps && best >= 0 ? steps.number("step", best) : null;
}

export interface StepMark {
  readonly step: number;
  readonly start: number;
}

/** Where each step begins, on the GPU that comes first. */
export function stepMarks(steps: Table | undefined): StepMark[] {
  if (!steps) return [];
  const first = new Map<number, number>();
  for (let row = 0; row < steps.rows; ++row) {
    const [step, start] = [steps.number("step", row), steps.number("start_ns", row)];
    if (!Number.isNaN(start)) first.set(step, Math.min(first.get(step) ?? Infinity, start));
  }
  const marks = [...first].map(([step, start]) => ({ step, start }));
  return marks.sort((a, b) => a.start - b.start);
}

function spanIn(table: Table, startWord: string, lengthWord: string, step: number): Span | null {
  const numbers = numbersOf(table, "step");
  const start = numbersOf(table, startWord);
  const time = numbersOf(table, lengthWord);
  let [from, to] = [Infinity, -Infinity];
  numbers.forEach((number, row) => {
    if (number !== step || Number.isNaN(start[row]!)) return;
    from = Math.min(from, start[row]!);
    to = Math.max(to, start[row]! + (time[row]! || 0));
  });
  return from <= to ? { from, to } : null;
}
