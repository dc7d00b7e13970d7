// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which marks share a lane: marks of a lane do not overlap.

/** Rows in the order of their starts; of equal starts the longer one first. */
export function byStart(rows: Uint32Array, start: Float64Array, end: Float64Array): Uint32Array {
  const compare = (a: number, b: number) => start[a]! - start[b]! || end[b]! - end[a]!;
  // Traces are nearly always in order: to look is much faster than to sort.
  for (let i = 1; i < rows.length; ++i) {
    if (compare(rows[i - 1]!, rows[i]!) > 0) return rows.slice().sort(compare);
  }
  return rows;
}

/** Each row in the first lane that is free at its start: kernels of a stream that run together, as
 *  those of a graph do. `rows` are ordered by start. */
export function packed(rows: Uint32Array, start: Float64Array, end: Float64Array): Uint32Array[] {
  return dealt(
    rows,
    (row, ends) => {
      const lane = ends.findIndex((busyUntil) => busyUntil <= start[row]!);
      return lane < 0 ? ends.length : lane;
    },
    end,
  );
}

/** Each row in the lane of its depth: ranges within ranges. `rows` are ordered by start. */
export function nested(rows: Uint32Array, start: Float64Array, end: Float64Array): Uint32Array[] {
  const open: number[] = [];
  return dealt(
    rows,
    (row) => {
      while (open.length > 0 && end[open.at(-1)!]! <= start[row]!) open.pop();
      open.push(row);
      return open.length - 1;
    },
    end,
  );
}

function dealt(
  rows: Uint32Array,
  laneOf: (row: number, ends: readonly number[]) => number,
  end: Float64Array,
): Uint32Array[] {
  const ends: number[] = [];
  const sizes: number[] = [];
  const chosen = new Uint16Array(rows.length);
  for (let i = 0; i < rows.length; ++i) {
    const row = rows[i]!;
    const lane = laneOf(row, ends);
    chosen[i] = lane;
    ends[lane] = end[row]!;
    sizes[lane] = (sizes[lane] ?? 0) + 1;
  }
  if (sizes.length === 1) return [rows];
  const lanes = sizes.map((size) => new Uint32Array(size));
  const filled = sizes.map(() => 0);
  for (let i = 0; i < rows.length; ++i) lanes[chosen[i]!]![filled[chosen[i]!]!++] = rows[i]!;
  return lanes;
}
