// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which marks share a lane: marks of a lane do not overlap.

/** Rows in the order of their starts; of equal starts the longer one first. */
export function byStart(rows: Uint32Array, start: Float64Array, end: Float64Array): Uint32Array {
  const isBefore = (a: number, b: number) => start[a]! - start[b]! || end[b]! - end[a]!;
  // Traces are nearly always in order: sorting a million rows takes a second, looking does not.
  for (let i = 1; i < rows.length; ++i) {
    if (isBefore(rows[i - 1]!, rows[i]!) > 0) return rows.slice().sort(isBefore);
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
  const lane = new Uint16Array(rows.length);
  const sizes: number[] = [];
  rows.forEach((row, i) => {
    const chosen = laneOf(row, ends);
    lane[i] = chosen;
    ends[chosen] = end[row]!;
    sizes[chosen] = (sizes[chosen] ?? 0) + 1;
  });
  const lanes = Array.from(sizes, (size) => new Uint32Array(size));
  const filled = lanes.map(() => 0);
  rows.forEach((row, i) => {
    lanes[lane[i]!]![filled[lane[i]!]!++] = row;
  });
  return lanes;
}
