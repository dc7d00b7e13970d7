// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows by a key, without an object for each row: there may be a million.

/** The rows of each key in their order, keys in the order of their first row. Rows whose key is NaN
 *  are left out. */
export function partition(rows: number, keyOf: (row: number) => number): Map<number, Uint32Array> {
  const counts = new Map<number, number>();
  eachRun(rows, keyOf, (key, first, end) => counts.set(key, (counts.get(key) ?? 0) + end - first));
  const parts = new Map<number, Uint32Array>();
  for (const [key, count] of counts) parts.set(key, new Uint32Array(count));
  const filled = new Map<number, number>();
  eachRun(rows, keyOf, (key, first, end) => {
    const part = parts.get(key);
    let at = filled.get(key) ?? 0;
    for (let row = first; row < end; ++row) if (part) part[at++] = row;
    filled.set(key, at);
  });
  return parts;
}

/** Most rows have the key of the row before them. */
function eachRun(
  rows: number,
  keyOf: (row: number) => number,
  see: (key: number, first: number, end: number) => void,
): void {
  let first = 0;
  while (first < rows) {
    const key = keyOf(first);
    let end = first + 1;
    if (Number.isNaN(key)) {
      first = end;
      continue;
    }
    while (end < rows && keyOf(end) === key) ++end;
    see(key, first, end);
    first = end;
  }
}

/** Small numbers for combinations of several: (trace, device, stream) as one key. */
export class Keys {
  private readonly ids = new Map<number, Map<number, number>>();
  private readonly parts: (readonly [number, number])[] = [];

  /** NaN if a part is NaN. */
  of(first: number, second: number): number {
    if (Number.isNaN(first) || Number.isNaN(second)) return NaN;
    let seconds = this.ids.get(first);
    if (!seconds) this.ids.set(first, (seconds = new Map<number, number>()));
    let id = seconds.get(second);
    if (id === undefined) {
      seconds.set(second, (id = this.parts.length));
      this.parts.push([first, second]);
    }
    return id;
  }

  partsOf(key: number): readonly [number, number] {
    return this.parts[key] ?? [NaN, NaN];
  }
}
