// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the points and the limits of a roofline are on its two logarithmic axes: intensity in
// FLOP/B, rate in TFLOP/s.
import type { Span } from "../axis";
import type { Unit } from "./units";

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
  /** "tensor cores", "CUDA cores": where it is known. */
  readonly units: readonly string[];
  readonly kind: "bandwidth" | "peak";
  readonly low: number;
  readonly high: number;
  /** Of the multiprocessors, in MHz; null: not sampled. */
  readonly clocks: Span | null;
  /** Of limits of several units: it is none of the hardware's. */
  readonly isMean: boolean;
}

/** The limit that a group is measured against, and a word of that group. */
export interface Sample {
  readonly name: string;
  readonly limit: number;
  /** The limit at the highest clock (units.ts). */
  readonly rate: number;
  readonly clock?: number;
  readonly unit?: Unit;
}

/** Limits of one unit are closer to one another than those of two units. */
export const SAME_ROOF = 1.15;

/** One roof for limits that differ by their clocks alone, the highest first. */
export function roofsOf(kind: Roof["kind"], samples: readonly Sample[]): Roof[] {
  const sorted = samples.filter(({ rate }) => rate > 0).sort((a, b) => b.rate - a.rate);
  const groups: Sample[][] = [];
  for (const isMean of [false, true]) {
    let last = Infinity;
    for (const sample of sorted.filter(({ unit }) => (unit === "mean") === isMean)) {
      if (last <= sample.rate * SAME_ROOF) groups.at(-1)?.push(sample);
      else groups.push([sample]);
      last = sample.rate;
    }
  }
  return groups.map((group) => roofOf(kind, group));
}

function roofOf(kind: Roof["kind"], group: readonly Sample[]): Roof {
  const limits = extentOfAll(group.map(({ limit }) => limit)) ?? { from: 0, to: 0 };
  const isMean = group.some(({ unit }) => unit === "mean");
  const units = group.flatMap(({ unit = "" }) => (unit === "" || isMean ? [] : [unit]));
  return {
    names: [...new Set(group.map(({ name }) => name))].sort(),
    units: [...new Set(units)].sort(),
    kind,
    low: limits.from,
    high: limits.to,
    clocks: extentOfAll(group.flatMap(({ clock = NaN }) => (clock > 0 ? [clock] : []))),
    isMean,
  };
}

function extentOfAll(values: readonly number[]): Span | null {
  let [from, to] = [Infinity, -Infinity];
  for (const value of values) [from, to] = [Math.min(from, value), Math.max(to, value)];
  return from <= to ? { from, to } : null;
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
