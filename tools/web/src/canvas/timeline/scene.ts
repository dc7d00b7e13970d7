// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a timeline shows: tracks of lanes of marks. Kernels, launches, NVTX ranges and idle time are
// all marks: rows of a table with a start and an end.
import type { Table } from "../../data/model";
import type { Span } from "../axis";
import { byStart, nested, packed } from "./lanes";
import { Keys, partition } from "./partition";
import { Pyramid } from "./pyramid";

/** In the order in which they stand beneath one another. */
const KINDS = ["gaps", "work", "calls", "ranges"] as const;
export type TrackKind = (typeof KINDS)[number];

export const isOfGpu = (kind: TrackKind): boolean => kind === "work" || kind === "gaps";

export interface Lane {
  readonly pyramid: Pyramid;
  /** The table's row of each mark. */
  readonly rows: Uint32Array;
}

/** Whose work it is. Numbers are NaN where they do not apply. */
export interface Place {
  /** File name of the trace; "": there is one alone. */
  readonly trace: string;
  readonly rank: number;
  readonly device: number;
  readonly stream: number;
  readonly thread: number;
}

export interface Track {
  readonly kind: TrackKind;
  readonly place: Place;
  readonly table: Table;
  readonly lanes: readonly Lane[];
}

export interface Tables {
  readonly work: Table;
  readonly ranges?: Table | undefined;
  readonly gaps?: Table | undefined;
  /** Kernels of collectives on several ranks (links.ts). */
  readonly collectives?: Table | undefined;
}

export interface Scene {
  readonly tracks: readonly Track[];
  /** From the first mark to the end of the last one. */
  readonly whole: Span;
}

/** Traces beneath one another; of each its GPUs, then its threads: launches, from which arrows lead
 *  up to the GPUs, then ranges. */
export function makeScene({ work, ranges, gaps }: Tables): Scene {
  const isOneTrace = (work.column("trace")?.texts.length ?? 0) <= 1;
  const of = (kind: TrackKind, table: Table, by: By, times: Times, split: Split) =>
    tracksOf(kind, table, by, times, split, isOneTrace);
  const tracks = [
    ...of("work", work, "stream", timesOf(work), packed),
    ...of("calls", work, "thread", launchesOf(work), splitCalls),
    ...(gaps ? of("gaps", gaps, "device", timesOf(gaps), packed) : []),
    ...(ranges ? of("ranges", ranges, "thread", timesOf(ranges), nested) : []),
  ];
  return { tracks: tracks.sort((a, b) => compare(orderOf(a), orderOf(b))), whole: extent(tracks) };
}

/** Rows without a start are not shown. */
interface Times {
  readonly start: Float64Array;
  readonly end: Float64Array;
}

function timesOf(table: Table): Times {
  const start = numbersOf(table, "start_ns");
  const time = numbersOf(table, "time_ns");
  const end = new Float64Array(table.rows);
  let last = -Infinity;
  for (let row = 0; row < table.rows; ++row) {
    end[row] = start[row]! + time[row]!;
    if (end[row]! > last) last = end[row]!;
  }
  for (let row = 0; row < table.rows; ++row) {
    // What was never closed lasts to the end.
    if (Number.isNaN(end[row])) end[row] = Math.max(start[row]!, last);
  }
  return { start, end };
}

function launchesOf(work: Table): Times {
  const start = numbersOf(work, "launch_ns");
  const time = numbersOf(work, "launch_time_ns");
  return { start, end: start.map((from, row) => from + (time[row]! || 0)) };
}

/** One mark for each call: all the kernels of a graph have the same. */
function splitCalls(rows: Uint32Array, start: Float64Array, end: Float64Array): Uint32Array[] {
  const calls = new Uint32Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; ++i) {
    if (i === 0 || start[rows[i]!] !== start[rows[i - 1]!]) calls[count++] = rows[i]!;
  }
  return packed(calls.subarray(0, count), start, end);
}

export function numbersOf(table: Table, word: string): Float64Array {
  return table.column(word)?.numbers ?? new Float64Array(table.rows).fill(NaN);
}

type By = "stream" | "device" | "thread";
type Split = (rows: Uint32Array, start: Float64Array, end: Float64Array) => Uint32Array[];

/** One track for each trace and, in it, each GPU and stream, each GPU, or each thread. */
function tracksOf(
  kind: TrackKind,
  table: Table,
  by: By,
  { start, end }: Times,
  split: Split,
  isOneTrace: boolean,
): Track[] {
  const traces = isOneTrace ? undefined : table.column("trace");
  const device = numbersOf(table, by === "thread" ? "" : "device");
  const part = numbersOf(table, by);
  const places = new Keys();
  const keys = new Keys();
  const parts = partition(table.rows, (row) => {
    if (Number.isNaN(start[row])) return NaN;
    // Work of a damaged trace may lack its place: it is shown all the same.
    const place = places.of(traces?.ids[row] ?? 0, orNone(device[row]!));
    return keys.of(place, orNone(part[row]!));
  });
  return [...parts].map(([key, unordered]) => {
    const [place, number] = keys.partsOf(key);
    const [trace, gpu] = places.partsOf(place);
    const rows = byStart(unordered, start, end);
    return {
      kind,
      table,
      place: {
        trace: traces?.texts[trace - 1] ?? "",
        rank: table.number("rank", rows[0] ?? 0),
        device: fromNone(gpu),
        stream: by === "stream" ? fromNone(number) : NaN,
        thread: by === "thread" ? fromNone(number) : NaN,
      },
      lanes: split(rows, start, end).map((lane) => makeLane(lane, start, end)),
    };
  });
}

const NONE = -1;
const orNone = (value: number): number => (Number.isNaN(value) ? NONE : value);
const fromNone = (value: number): number => (value === NONE ? NaN : value);

function makeLane(rows: Uint32Array, start: Float64Array, end: Float64Array): Lane {
  const starts = new Float64Array(rows.length);
  const ends = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; ++i) {
    starts[i] = start[rows[i]!]!;
    ends[i] = end[rows[i]!]!;
  }
  return { rows, pyramid: new Pyramid(starts, ends) };
}

/** GPUs before the host: their rows are few, and what the reader comes for. Numbers before what has
 *  none. */
function orderOf({ kind, place }: Track): (number | string)[] {
  const isGpu = isOfGpu(kind);
  const last = (value: number) => (Number.isNaN(value) ? Infinity : value);
  return [
    last(place.rank),
    place.trace,
    Number(!isGpu),
    last(isGpu ? place.device : place.thread),
    KINDS.indexOf(kind),
    last(place.stream),
  ];
}

function compare(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  for (let i = 0; i < a.length; ++i) {
    if (a[i]! < b[i]!) return -1;
    if (a[i]! > b[i]!) return 1;
  }
  return 0;
}

function extent(tracks: readonly Track[]): Span {
  let [from, to] = [Infinity, -Infinity];
  for (const { pyramid } of tracks.flatMap((track) => track.lanes)) {
    from = Math.min(from, pyramid.whole.from);
    to = Math.max(to, pyramid.whole.to);
  }
  return from < to ? { from, to } : { from: 0, to: 1 };
}
