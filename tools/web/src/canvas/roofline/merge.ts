// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of one op, direction, shape and type as one point, whatever their layer.
import type { Table } from "../../data/model";
import { timeWordOf } from "../groups";
import type { Point, Roof, Sample } from "./points";
import { tensorTypesOf, withRates, withUnits } from "./units";

export interface MergedPoint extends Point {
  readonly rows: readonly number[];
}

export interface Merged {
  readonly points: readonly MergedPoint[];
  /** Groups that do no arithmetic, or whose FLOPs or bytes are unknown, have no place. */
  readonly withoutPlace: number;
  readonly timeWithoutPlace: number;
}

const KEY = ["op", "dir", "params", "dtype"] as const;

export function pointsOf(table: Table): Merged {
  const times = table.column(timeWordOf(table))?.numbers;
  const groups = new Map<string, number[]>();
  let [withoutPlace, timeWithoutPlace] = [0, 0];
  for (let row = 0; row < table.rows; ++row) {
    const isPlaced = table.number("intensity", row) > 0 && table.number("tflop_per_s", row) > 0;
    if (!isPlaced) {
      withoutPlace += 1;
      timeWithoutPlace += times?.[row] || 0;
      continue;
    }
    const key = JSON.stringify(KEY.map((word) => table.text(word, row)));
    const rows = groups.get(key);
    if (rows) rows.push(row);
    else groups.set(key, [row]);
  }
  const points = [...groups.values()].map((rows) => mergedPoint(table, rows, times));
  // The largest first, so that the small ones are drawn on top.
  points.sort((a, b) => b.time - a.time);
  return { points, withoutPlace, timeWithoutPlace };
}

/** The rate is the mean by time, the intensity that of the sums. */
function mergedPoint(
  table: Table,
  rows: readonly number[],
  times: Float64Array | undefined,
): MergedPoint {
  let [time, flops, bytes] = [0, 0, 0];
  for (const row of rows) {
    const weight = times?.[row] || 0;
    const work = weight * table.number("tflop_per_s", row);
    time += weight;
    flops += work;
    bytes += work / table.number("intensity", row);
  }
  const row = rows[0] ?? -1;
  if (rows.length === 1 || time === 0) {
    const rate = table.number("tflop_per_s", row);
    return { row, rows, time, rate, intensity: table.number("intensity", row) };
  }
  return { row, rows, time, rate: flops / time, intensity: flops / bytes };
}

/** The peaks that groups are measured against, by the type they compute in. */
export function peaksOf(table: Table, gemms?: Table): Sample[] {
  const limits = samples(table, "peak_tflop_per_s", (row) => table.text("dtype", row) ?? "");
  return withUnits(withRates(limits), tensorTypesOf(gemms));
}

/** The bandwidths: of the memory, and of the L2 for groups that it limits. The L2 alone follows the
 *  clock of the multiprocessors. */
export function bandwidthsOf(table: Table): Sample[] {
  const limits = samples(table, "peak_gb_per_s", (row) => table.text("bound", row) ?? "");
  return withRates(
    limits.map((sample) => (sample.name === "L2" ? sample : { ...sample, clock: NaN })),
  );
}

/** The L2 is faster than the memory, and the only other one that limits a group. */
export function memoryNamesOf(roofs: readonly Roof[]): Roof[] {
  return roofs.map((roof, i) => {
    const isL2 = roof.names.includes("L2") || i < roofs.length - 1;
    return { ...roof, names: [isL2 && !roof.names.includes("memory") ? "L2" : "memory"] };
  });
}

function samples(table: Table, word: string, nameOf: (row: number) => string): Sample[] {
  const limits = table.column(word)?.numbers ?? new Float64Array();
  return Array.from(limits, (limit, row) => {
    return { name: nameOf(row), limit, rate: limit, clock: table.number("sm_clock_mhz", row) };
  });
}
