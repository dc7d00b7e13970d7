// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows by a key, without an object for each row: there may be a million.

const NO_KEY = -1;

/** The rows of each key in their order, keys in the order of their first row. Rows whose key is NaN
 *  are left out; the others have small integers, such as those of Keys. */
export function partition(rows: number, keyOf: (row: number) => number): Map<number, Uint32Array> {
  const keys = new Int32Array(rows);
  const counts: number[] = [];
  const order: number[] = [];
  for (let row = 0; row < rows; ++row) {
    const key = keyOf(row);
    keys[row] = Number.isNaN(key) ? NO_KEY : key;
    if (keys[row] === NO_KEY) continue;
    if (counts[key] === undefined) order.push(key);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const parts = new Map(order.map((key) => [key, new Uint32Array(counts[key]!)]));
  const filled = new Map(order.map((key) => [key, 0]));
  for (let row = 0; row < rows;) {
    // Most rows have the key of the row before them.
    const key = keys[row]!;
    const part = parts.get(key);
    let at = filled.get(key) ?? 0;
    for (; row < rows && keys[row] === key; ++row) if (part) part[at++] = row;
    filled.set(key, at);
  }
  return parts;
}

/** Small numbers for combinations of two: device and stream as one key. */
export class Keys {
  private readonly ids = new Map<number, Map<number, number>>();
  private readonly parts: (readonly [number, number])[] = [];
  private last: { first: number; second: number; id: number } = { first: NaN, second: NaN, id: 0 };

  /** NaN if a part is NaN. */
  of(first: number, second: number): number {
    const { last } = this;
    if (last.first === first && last.second === second) return last.id;
    if (Number.isNaN(first) || Number.isNaN(second)) return NaN;
    let seconds = this.ids.get(first);
    if (!seconds) this.ids.set(first, (seconds = new Map<number, number>()));
    let id = seconds.get(second);
    if (id === undefined) {
      seconds.set(second, (id = this.parts.length));
      this.parts.push([first, second]);
    }
    this.last = { first, second, id };
    return id;
  }

  partsOf(key: number): readonly [number, number] {
    return this.parts[key] ?? [NaN, NaN];
  }
}
