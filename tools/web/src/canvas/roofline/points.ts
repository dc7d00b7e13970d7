// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the points and the limits of a roofline are on its two logarithmic axes: intensity in
// FLOP/B, rate in TFLOP/s.
import type { Span } from "../axis";

export interface Point {
  readonly row: number;
  readonly intensity: number;
  readonly rate: number;
  readonly time: number;
}

/** A roof: a bandwidth (rate = intensity * limit / 1000) or a peak (rate = limit). Where the clocks
 *  changed, so did the limit, from `low` to `high`. */
export interface Roof {
  readonly names: readonly string[];
  readonly kind: "bandwidth" | "peak";
  readonly low: number;
  readonly high: number;
}

/** The limit that a group is measured against, and a word of that group. */
export interface Sample {
  readonly name: string;
  readonly limit: number;
}

/** Limits of one unit at other clocks are closer to one another than those of two units. */
const SAME_ROOF = 1.15;

/** One roof for limits that lie close to one another, the highest first. */
export function roofsOf(kind: Roof["kind"], samples: Iterable<Sample>): Roof[] {
  const sorted = [...samples].filter(({ limit }) => limit > 0);
  sorted.sort((a, b) => b.limit - a.limit);
  const roofs: { names: Set<string>; low: number; high: number }[] = [];
  for (const { name, limit } of sorted) {
    const roof = roofs.at(-1);
    if (roof && roof.low <= limit * SAME_ROOF) {
      roof.low = limit;
      roof.names.add(name);
    } else {
      roofs.push({ names: new Set([name]), low: limit, high: limit });
    }
  }
  return roofs.map(({ names, low, high }) => ({ names: [...names].sort(), kind, low, high }));
}

export const rateUnder = (roof: Roof, intensity: number): number =>
  roof.kind === "peak" ? roof.high : (intensity * roof.high) / 1000;

/** The largest point has `largest` pixels of radius; areas go by time, and none is too small to
 *  point at. */
export function radiusOf(time: number, longest: number, largest: number): number {
  return longest > 0 ? Math.max(2, largest * Math.sqrt(time / longest)) : 2;
}

export interface Extent {
  readonly x: Span;
  readonly y: Span;
}

/** Around all points, the ridges and the highest peak. */
export function extentOf(points: readonly Point[], roofs: readonly Roof[]): Extent {
  const peaks = roofs.filter((roof) => roof.kind === "peak").map((roof) => roof.high);
  const widest = Math.max(
    0,
    ...roofs.filter((roof) => roof.kind === "bandwidth").map((roof) => roof.high),
  );
  const ridges = widest > 0 ? peaks.map((peak) => (1000 * peak) / widest) : [];
  return {
    x: around([...points.map((point) => point.intensity), ...ridges.map((ridge) => ridge * 2)]),
    y: around([...points.map((point) => point.rate), ...peaks]),
  };
}

function around(values: readonly number[]): Span {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return { from: 0.1, to: 1000 };
  const least = known.reduce((a, b) => Math.min(a, b));
  const most = known.reduce((a, b) => Math.max(a, b));
  return { from: least / MARGIN, to: most * MARGIN };
}

/** Room for the discs at the edge. */
const MARGIN = 2;

export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** The disc at a place; of several the smallest, which is drawn on top. Nearby counts. */
export function discAt(discs: readonly Disc[], x: number, y: number, slack: number): number {
  let best = -1;
  let least = Infinity;
  discs.forEach((disc, i) => {
    const away = Math.hypot(disc.x - x, disc.y - y) - disc.radius;
    const rank = away <= 0 ? disc.radius : 1e6 + away;
    if (away <= slack && rank < least) [best, least] = [i, rank];
  });
  return best;
}
