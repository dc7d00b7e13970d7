// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where tracks and lanes are, from the top, in pixels; and what is at a place.
import type { Lane, Place, Scene, Track, TrackKind } from "./scene";

const LANE: Record<TrackKind, number> = { ranges: 15, calls: 9, gaps: 9, work: 19 };
const HEADING = 18;
const NAME = 13;
const GAP = 3;

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
}

export interface Layout {
  readonly tracks: readonly PlacedTrack[];
  readonly headings: readonly Heading[];
  readonly height: number;
}

export const isOneTrace = (scene: Scene): boolean =>
  new Set(scene.tracks.map((track) => track.place.trace)).size <= 1;

/** Without its threads, GPUs of several ranks are right beneath one another. */
export function arrange(scene: Scene, hasThreads = true): Layout {
  const tracks: PlacedTrack[] = [];
  const headings: Heading[] = [];
  const isAlone = isOneTrace(scene);
  let top = AXIS + GAP;
  let before = "";
  for (const track of scene.tracks) {
    if (!hasThreads && !isOfGpu(track)) continue;
    const text = headingOf(track, isAlone);
    if (text !== before) {
      headings.push({ text, top });
      top += HEADING;
      before = text;
    }
    const name = nameOf(track);
    const lanesTop = top + NAME;
    const laneHeight = LANE[track.kind];
    const bottom = lanesTop + laneHeight * track.lanes.length;
    tracks.push({ track, top, name, lanesTop, laneHeight, bottom });
    top = bottom + GAP;
  }
  return { tracks, headings, height: top + GAP };
}

export const isOfGpu = ({ kind }: Track): boolean => kind === "work" || kind === "gaps";

function headingOf(track: Track, isAlone: boolean): string {
  const { place } = track;
  const parts = isAlone ? [] : [traceName(place)];
  if (isOfGpu(track)) parts.push(Number.isNaN(place.device) ? "GPU" : `GPU ${place.device}`);
  else parts.push("CPU");
  return parts.join(", ");
}

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

export function topOf(layout: Layout, lane: Lane): number {
  const placed = layout.tracks.find(({ track }) => track.lanes.includes(lane));
  return placed ? placed.lanesTop + placed.track.lanes.indexOf(lane) * placed.laneHeight : 0;
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
