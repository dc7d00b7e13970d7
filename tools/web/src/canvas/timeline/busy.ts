// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How long each GPU works within a span: the time in which a kernel, copy or set of any stream
// runs.
import type { Span } from "../axis";
import { gpuName, isOneTrace, traceName } from "./layout";
import type { Lane, Scene } from "./scene";

export interface BusyGpu {
  readonly name: string;
  readonly busy: number;
}

/** In the order in which the GPUs stand beneath one another. */
export function busyGpus(scene: Scene, span: Span): BusyGpu[] {
  const isAlone = isOneTrace(scene);
  const lanes = new Map<string, Lane[]>();
  for (const { kind, place, lanes: own } of scene.tracks) {
    if (kind !== "work") continue;
    const name = [...(isAlone ? [] : [traceName(place)]), gpuName(place)].join(", ");
    lanes.set(name, [...(lanes.get(name) ?? []), ...own]);
  }
  return [...lanes].map(([name, all]) => ({ name, busy: covered(all, span) }));
}

/** Time that marks of any lane cover. Starts and ends are sorted each for themselves: a sweep needs
 *  to know how many marks are open, not which ones. */
function covered(lanes: readonly Lane[], { from, to }: Span): number {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { pyramid } of lanes) {
    for (let i = pyramid.after(to) - 1; i >= 0 && pyramid.end(i) >= from; --i) {
      starts.push(Math.max(from, pyramid.start(i)));
      ends.push(Math.min(to, pyramid.end(i)));
    }
  }
  const [opening, closing] = [Float64Array.from(starts).sort(), Float64Array.from(ends).sort()];
  let [total, open, since, next] = [0, 0, 0, 0];
  for (const end of closing) {
    for (; next < opening.length && opening[next]! <= end; ++next) {
      if (open === 0) since = opening[next]!;
      open += 1;
    }
    open -= 1;
    if (open === 0) total += end - since;
  }
  return total;
}
