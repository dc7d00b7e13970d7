// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the limits are called, and where their names stand: on their own lines, and never on one
// another.
import type { Roof } from "./points";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const isApart = (a: Box, b: Box): boolean =>
  a.left + a.width <= b.left ||
  b.left + b.width <= a.left ||
  a.top + a.height <= b.top ||
  b.top + b.height <= a.top;

/** The first place that is free, which is taken from then on. Undefined: there is none, and the
 *  list of limits has the name alone. */
export function freePlace<Place extends { readonly box: Box }>(
  places: readonly Place[],
  taken: Box[],
): Place | undefined {
  const free = places.find(({ box }) => taken.every((other) => isApart(box, other)));
  if (free) taken.push(free.box);
  return free;
}

/** Around a text of this size whose middle is at a place, turned by an angle. */
export function boxAround(x: number, y: number, width: number, height: number, angle = 0): Box {
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))];
  const [wide, high] = [width * cos + height * sin, width * sin + height * cos];
  return { left: x - wide / 2, top: y - high / 2, width: wide, height: high };
}

/** "bfloat16, tensor cores: 989 TFLOP/s"; of limits that followed the clocks, from the lowest to
 *  the highest. */
export function roofText({ names, units, kind, low, high }: Roof): string {
  const unit = kind === "peak" ? "TFLOP/s" : "GB/s";
  const what = [names.filter(Boolean).join(", ") || "unknown type", units.join(" and ")];
  return `${what.filter(Boolean).join(", ")}: ${rangeText(low, high)} ${unit}`;
}

/** With the clocks: why a limit is a range, or not that of the data sheet. */
export function limitText(roof: Roof): string {
  const { clocks, isMean } = roof;
  const at = clocks ? ` at ${rangeText(clocks.from, clocks.to)} MHz` : "";
  const mean = isMean ? ", the mean of kernels with and without tensor cores (not drawn)" : "";
  return roofText(roof) + at + mean;
}

function rangeText(low: number, high: number): string {
  const [from, to] = [rounded(low), rounded(high)];
  return from === to ? to : `${from} to ${to}`;
}

const rounded = (value: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: value >= 1000 ? 4 : 3 });
