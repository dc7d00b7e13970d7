// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// From a row of a table to the mark of the timeline that shows it.
import { toMarkWord } from "../canvas/timeline/selecting";
import type { TrackKind } from "../canvas/timeline/scene";
import type { Side } from "../data/document";
import type { Model } from "../data/model";
import { cellAt, gridColumn, type Grid } from "../grid/grid";

/** Tables whose rows are marks. */
const KINDS: Readonly<Record<string, TrackKind>> = { work: "work", idle: "gaps", ranges: "ranges" };

/** The word of the address; null: the timeline does not show the row. A line of the report gaps
 *  leads to the longest one that it adds up. */
export function markOf(model: Model, grid: Grid, row: number, side: Side): string | null {
  const kind = KINDS[grid.name];
  if (!model.tables.some(({ name, rows }) => name === "work" && rows > 0)) return null;
  if (kind) return toMarkWord({ track: { kind }, row });
  if (grid.name !== "gaps") return null;
  const longest = longestGap(model, grid, row, side);
  return longest < 0 ? null : toMarkWord({ track: { kind: "gaps" }, row: longest });
}

/** Columns of gaps and, in the stretches, their twins. */
const TWINS = [
  ["trace", "trace"],
  ["device", "device"],
  ["cause", "cause"],
  ["op", "op"],
  ["max_step", "step"],
  ["max_ns", "time_ns"],
] as const;

function longestGap(model: Model, grid: Grid, row: number, side: Side): number {
  const idle = model.table("idle") ?? model.table("idle", side);
  if (!idle) return -1;
  const wanted = TWINS.flatMap(([word, twin]) => {
    const column = gridColumn(grid, word) ?? gridColumn(grid, `${word}:${side}`);
    const cell = column && cellAt(column, row);
    if (!cell || cell.column.isNull(cell.row)) return [];
    return { twin, value: cell.column.text(cell.row) ?? cell.column.number(cell.row) };
  });
  if (!wanted.some(({ twin }) => twin === "time_ns")) return -1;
  for (let i = 0; i < idle.rows; ++i) {
    const isIt = wanted.every(({ twin, value }) => {
      const column = idle.column(twin);
      return !column || (column.text(i) ?? column.number(i)) === value;
    });
    if (isIt) return i;
  }
  return -1;
}
