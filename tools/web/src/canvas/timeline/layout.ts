// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where tracks and lanes are, from the top, in pixels; and what is at a place.
import type { Span } from "../axis";
import { isOfGpu, type Lane, type Place, type Scene, type Track, type TrackKind } from "./scene";

const LANE: Record<TrackKind, number> = { ranges: 15, calls: 9, gaps: 9, work: 19 };
const HEADING = 18;
const NAME = 13;
const GAP = 3;
const FOLD = 18;

/** Times, and below them where steps begin. */
export const AXIS = 36;

export interface PlacedTrack {
  readonly track: Track;
  /** Of its name, or of its first lane if it has none. */
  readonly top: number;
  readonly name: string;
  readonly lanesTop: number;
  readonly laneHeight: number;
  readonly bottom: number;
}

export interface Heading {
  readonly text: string;
  readonly top: number;
  readonly trace: string;
}

/** The line that stands for empty rows; a click on it shows or hides them. */
export interface Fold {
  readonly text: string;
  readonly top: number;
  readonly bottom: number;
}

export interface Layout {
  readonly tracks: readonly PlacedTrack[];
  readonly headings: readonly Heading[];
  readonly folds: readonly Fold[];
  readonly height: number;
}

export interface Shown {
  /** Without its threads, GPUs of several ranks are right beneath one another. */
  readonly threads: boolean;
  /** Rows that are not empty; null: all count as such. */
  readonly filled: ReadonlySet<Track> | null;
  readonly empty: boolean;
}

const EVERYTHING: Shown = { threads: true, filled: null, empty: true };

export const isOneTrace = (scene: Scene): boolean =>
  new Set(scene.tracks.map((track) => track.place.trace)).size <= 1;

/** Streams and threads with anything in the span; idle time is one row that always stays. */
export function filledTracks(scene: Scene, span: Span): Set<Track> {
  const isFilled = ({ kind, lanes }: Track) =>
    kind === "gaps" || lanes.some(({ pyramid }) => pyramid.hasIn(span));
  return new Set(scene.tracks.filter(isFilled));
}

/** Below each heading its rows, then a line for those that are empty. */
export function arrange(scene: Scene, shown: Shown = EVERYTHING): Layout {
  const tracks: PlacedTrack[] = [];
  const headings: Heading[] = [];
  const folds: Fold[] = [];
  let top = AXIS + GAP;
  const place = (track: Track) => {
    const lanesTop = top + NAME;
    const laneHeight = LANE[track.kind];
    const bottom = lanesTop + laneHeight * track.lanes.length;
    tracks.push({ track, top, name: nameOf(track), lanesTop, laneHeight, bottom });
    top = bottom + GAP;
  };
  for (const [text, all] of underHeadings(scene, shown.threads)) {
    headings.push({ text, top, trace: all[0]?.place.trace ?? "" });
    top += HEADING;
    const empty = all.filter((track) => shown.filled?.has(track) === false);
    all.filter((track) => !empty.includes(track)).forEach(place);
    if (empty.length === 0) continue;
    folds.push({ text: foldText(empty, shown.empty), top, bottom: top + FOLD });
    top += FOLD;
    if (shown.empty) empty.forEach(place);
  }
  return { tracks, headings, folds, height: top + GAP };
}

function underHeadings(scene: Scene, hasThreads: boolean): Map<string, Track[]> {
  const isAlone = isOneTrace(scene);
  const groups = new Map<string, Track[]>();
  for (const track of scene.tracks) {
    if (!hasThreads && !isOfGpu(track.kind)) continue;
    const text = headingOf(track, isAlone);
    const group = groups.get(text);
    if (group) group.push(track);
    else groups.set(text, [track]);
  }
  return groups;
}

function foldText(empty: readonly Track[], isOpen: boolean): string {
  const what = empty.every(({ kind }) => kind === "work") ? "stream" : "row";
  return `${isOpen ? "▾" : "▸"} ${empty.length} empty ${what}${empty.length > 1 ? "s" : ""}`;
}

export const foldAt = (layout: Layout, y: number): Fold | undefined =>
  layout.folds.find(({ top, bottom }) => y >= top && y < bottom);

function headingOf({ kind, place }: Track, isAlone: boolean): string {
  const parts = isAlone ? [] : [traceName(place)];
  if (isOfGpu(kind)) parts.push(gpuName(place));
  else parts.push("CPU");
  return parts.join(", ");
}

export const gpuName = ({ device }: Place): string =>
  Number.isNaN(device) ? "GPU" : `GPU ${device}`;

export const traceName = ({ rank, trace }: Place): string =>
  Number.isNaN(rank) ? trace : `rank ${rank}`;

function nameOf({ kind, place }: Track): string {
  const thread = Number.isNaN(place.thread) ? "process" : `thread ${place.thread}`;
  switch (kind) {
    case "ranges":
      return `NVTX ranges, ${thread}`;
    case "calls":
      return `launches, ${thread}`;
    case "gaps":
      return "idle, by cause";
    case "work":
      return Number.isNaN(place.stream) ? "stream unknown" : `stream ${place.stream}`;
  }
}

export interface Hit {
  readonly track: Track;
  readonly lane: Lane;
  /** Index of the mark in its lane. */
  readonly mark: number;
  readonly row: number;
}

/** The lane at a height, if any. */
export function laneAt(layout: Layout, y: number): { track: Track; lane: Lane } | null {
  const placed = layout.tracks.find(({ lanesTop, bottom }) => y >= lanesTop && y < bottom);
  const lane = placed?.track.lanes[Math.floor((y - placed.lanesTop) / placed.laneHeight)];
  return placed && lane ? { track: placed.track, lane } : null;
}

export function markAt(layout: Layout, y: number, time: number, slack: number): Hit | null {
  const at = laneAt(layout, y);
  const mark = at ? at.lane.pyramid.find(time, slack) : -1;
  return at && mark >= 0 ? { ...at, mark, row: at.lane.rows[mark]! } : null;
}

/** Where a lane is; null: its row is folded. */
export function extentOf(layout: Layout, lane: Lane): { top: number; height: number } | null {
  const placed = layout.tracks.find(({ track }) => track.lanes.includes(lane));
  if (!placed) return null;
  const { laneHeight: height, lanesTop, track } = placed;
  return { top: lanesTop + track.lanes.indexOf(lane) * height, height: height - 1 };
}

export interface Spot {
  readonly placed: PlacedTrack;
  readonly lane: Lane;
  readonly mark: number;
  /** Of the lane. */
  readonly top: number;
}

/** Where the mark that starts at a time is. */
export function spotOf(
  layout: Layout,
  kind: TrackKind,
  isPlace: (place: Place) => boolean,
  start: number,
): Spot | null {
  for (const placed of layout.tracks) {
    if (placed.track.kind !== kind || !isPlace(placed.track.place)) continue;
    for (const [i, lane] of placed.track.lanes.entries()) {
      const mark = lane.pyramid.after(start) - 1;
      if (mark < 0 || lane.pyramid.start(mark) !== start) continue;
      return { placed, lane, mark, top: placed.lanesTop + i * placed.laneHeight };
    }
  }
  return null;
}
