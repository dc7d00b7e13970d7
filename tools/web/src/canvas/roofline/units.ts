// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which units a peak is of. A type has two peaks where some kernels use tensor cores and others do
// not; lines of the report headroom state the peak alone, those of gemms say who uses tensor cores.
import type { Table } from "../../data/model";
import { SAME_ROOF, type Sample } from "./points";

/** `mean`: of kernels of both kinds, weighted by their times. It is no limit of the hardware. */
export type Unit = "tensor cores" | "CUDA cores" | "mean" | "";

/** Types in which a matrix product runs on tensor cores. */
export function tensorTypesOf(gemms: Table | undefined): Set<string> {
  const types = new Set<string>();
  for (let row = 0; gemms && row < gemms.rows; ++row) {
    const dtype = gemms.text("dtype", row);
    if (dtype !== null && gemms.number("tc", row) === 1) types.add(dtype);
  }
  return types;
}

/** Peaks at the highest clock that ran, so that the clocks make no difference. */
export function withRates(samples: readonly Sample[]): Sample[] {
  const known = samples.flatMap(({ clock = NaN }) => (clock > 0 ? [clock] : []));
  const highest = known.reduce((a, b) => Math.max(a, b), 0);
  return samples.map((sample) => {
    const { clock = NaN, limit } = sample;
    return { ...sample, rate: clock > 0 ? (limit * highest) / clock : limit };
  });
}

/** Tensor cores are at least twice as fast as CUDA cores at the same type. */
const FASTER = 1.9;

/** Of a type on tensor cores the highest peak is theirs, the lowest one that of CUDA cores. */
export function withUnits(samples: readonly Sample[], tensorTypes: ReadonlySet<string>): Sample[] {
  const ends = new Map<string, { low: number; high: number }>();
  for (const { name, rate } of samples) {
    if (!(rate > 0)) continue;
    const { low, high } = ends.get(name) ?? { low: rate, high: rate };
    ends.set(name, { low: Math.min(low, rate), high: Math.max(high, rate) });
  }
  return samples.map((sample) => {
    const end = ends.get(sample.name);
    const isKnown = end !== undefined && tensorTypes.has(sample.name);
    return { ...sample, unit: isKnown ? unitOf(sample.rate, end.low, end.high) : "" };
  });
}

function unitOf(rate: number, low: number, high: number): Unit {
  if (rate * SAME_ROOF >= high) return "tensor cores";
  return low * FASTER <= high && rate <= low * SAME_ROOF ? "CUDA cores" : "mean";
}
