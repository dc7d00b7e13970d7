// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The groups of work that icicle and roofline show: lines of the report headroom, by layer, op,
// direction, shapes, type and bound.
import type { Side } from "../data/document";
import type { Model, Table } from "../data/model";

export const groupsOf = (model: Model, side: Side): Table | undefined =>
  model.table("groups") ?? model.table("groups", side);

/** The time that stands for a group: in a step where there are steps. */
export function timeWordOf(groups: Table): string {
  const inStep = groups.column("step_ns");
  const isKnown = inStep?.numbers.some((time) => time > 0) ?? false;
  return isKnown ? "step_ns" : "time_ns";
}
