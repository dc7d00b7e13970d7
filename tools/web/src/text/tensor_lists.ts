// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Long lists of tensors as their count, as an optimizer's step has hundreds. The twin of
// with_short_lists() in tools/report/table/value_text.cpp.
import { fixed } from "./numbers";

/** Longer lists are shown as their count. */
export const LONGEST_LIST = 4;

const LIST = /\[((?:\([\d,]*\),?)+)\]/g;

/** "T=[(64,3,7,7),(64),...]" as "T=[148 tensors, 28.6 M elements]"; other text stays. */
export function withShortLists(text: string): string {
  return text.replace(LIST, (list, inside: string) => {
    const shapes = [...inside.matchAll(/\(([\d,]*)\)/g)].map(([, sizes = ""]) =>
      sizes === "" ? [] : sizes.split(",").map(Number),
    );
    return shapes.length > LONGEST_LIST ? tensorCount(shapes) : list;
  });
}

export function tensorCount(shapes: readonly (readonly number[])[]): string {
  let elements = 0;
  for (const shape of shapes) elements += shape.reduce((product, size) => product * size, 1);
  return `[${shapes.length} tensors, ${elementsText(elements)}]`;
}

const UNITS = ["", "k ", "M ", "G ", "T "];

/** "28.6 M elements". */
function elementsText(elements: number): string {
  let unit = 0;
  let count = elements;
  // 999.5 would be rounded to four digits.
  for (; count >= 999.5 && unit + 1 < UNITS.length; ++unit) count /= 1000;
  const decimals = unit === 0 || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  const plural = unit === 0 && count === 1 ? "" : "s";
  return `${fixed(count, decimals)} ${UNITS[unit] ?? ""}element${plural}`;
}
