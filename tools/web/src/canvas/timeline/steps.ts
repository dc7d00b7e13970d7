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
