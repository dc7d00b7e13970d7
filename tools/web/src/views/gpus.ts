// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPUs of a page: reports about a step have lines for each of them.
import type { Side } from "../data/document";
import { lateTrace } from "../data/late_rank";
import type { Model, Table } from "../data/model";

export interface Gpu {
  /** "rank 1", "rank 1, GPU 0", "trace.db". The same on both sides of a diff. */
  readonly name: string;
  readonly trace: string | null;
  /** NaN: not stated. */
  readonly device: number;
}

/** In the order of the report summary. */
export function gpusOf(model: Model, side: Side | null): Gpu[] {
  const summary = model.table("summary", side);
  if (!summary) return [];
  const places = new Map<string, { trace: string | null; device: number }>();
  for (let row = 0; row < summary.rows; ++row) {
    const place = { trace: summary.text("trace", row), device: summary.number("device", row) };
    places.set(JSON.stringify(place), place);
  }
  const gpus = [...places.values()];
  return gpus.map((gpu) => {
    const ofTrace = gpus.filter(({ trace }) => trace === gpu.trace);
    return { ...gpu, name: nameOf(model, gpu.trace, ofTrace.length > 1 ? gpu.device : NaN) };
  });
}

function nameOf(model: Model, trace: string | null, device: number): string {
  const rank = model.traces.find(({ name }) => name === trace)?.rank ?? null;
  const whose = rank === null ? (trace ?? "") : `rank ${rank}`;
  return Number.isNaN(device) ? whose : `${whose}, GPU ${device}`;
}

/** Whether a line of a report is about this GPU. */
export function isOf(gpu: Gpu | undefined, table: Table, row: number): boolean {
  if (!gpu) return true;
  const device = table.number("device", row);
  const isDevice = Number.isNaN(device) || Number.isNaN(gpu.device) || device === gpu.device;
  return table.text("trace", row) === gpu.trace && isDevice;
}

/** The chosen one; else the one for which others wait longest, or the first. */
export function chosenGpu(model: Model, gpus: readonly Gpu[], chosen: string | undefined) {
  const late = lateTrace(model);
  return (
    gpus.find(({ name }) => name === chosen) ??
    gpus.find(({ trace }) => trace !== null && trace === late) ??
    gpus[0]
  );
}
