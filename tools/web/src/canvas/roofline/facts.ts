// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a point: the cells of its line; of several lines the sums, and means with "~".
import type { Table } from "../../data/model";
import { cellText, heading } from "../../text/cells";
import { fixed, grouped, ms } from "../../text/numbers";
import type { Facts } from "../card";
import { timeWordOf } from "../groups";
import type { MergedPoint } from "./merge";

const NAMES = ["dir", "params", "dtype", "bound", "latency_by"];
const NUMBERS = [
  "kernels",
  "step_ns",
  "time_ns",
  "roofline_pct",
  "headroom_ns",
  "tflop_per_s",
  "peak_tflop_per_s",
  "gb_per_s",
  "peak_gb_per_s",
  "intensity",
  "sm_clock_mhz",
];
const SUMS = ["kernels", "headroom_ns"];

export function factsOf(table: Table, point: MergedPoint): Facts {
  const title = table.text("op", point.row) ?? "";
  const names = NAMES.flatMap((word) => commonCell(table, point.rows, word));
  if (point.rows.length === 1) {
    const numbers = NUMBERS.flatMap((word) => commonCell(table, point.rows, word));
    return { title, lines: [...layerLine(table, point), ...names, ...numbers] };
  }
  const time = table.column(timeWordOf(table));
  const lines: (readonly [string, string])[] = [...layerLine(table, point), ...names];
  if (time) lines.push([heading(time.info), ms(point.time)]);
  lines.push(...SUMS.flatMap((word) => sumOf(table, point.rows, word)));
  lines.push(["TFLOP/s", `~${fixed(point.rate, 2)}`], ["FLOP/B", `~${fixed(point.intensity, 2)}`]);
  return { title, lines };
}

function layerLine(table: Table, { rows, row }: MergedPoint): [string, string][] {
  const layers = new Set(rows.map((each) => table.text("layer", each)));
  const layer = table.text("layer", row);
  if (layers.size > 1) return [["Layer", `${layers.size} layers`]];
  return layer === null ? [] : [["Layer", layer]];
}

/** What all lines say alike. */
function commonCell(table: Table, rows: readonly number[], word: string): [string, string][] {
  const column = table.column(word);
  const [row] = rows;
  if (!column || row === undefined || column.isNull(row)) return [];
  const text = cellText(column, row);
  const isCommon = rows.every((other) => cellText(column, other) === text);
  return isCommon ? [[heading(column.info), text]] : [];
}

function sumOf(table: Table, rows: readonly number[], word: string): [string, string][] {
  const column = table.column(word);
  if (!column) return [];
  const sum = rows.reduce((total, row) => total + (column.number(row) || 0), 0);
  const text = column.info.style === "time" ? ms(sum) : grouped(String(sum));
  return [[heading(column.info), text]];
}
