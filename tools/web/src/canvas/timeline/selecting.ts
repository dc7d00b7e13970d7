// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a click on a mark selects: the mark in the timeline, and what it is about in all views.
import type { Selection, SelectionKey } from "../../state/store";
import type { Hit } from "./layout";
import type { Scene, TrackKind } from "./scene";

const SELECTED: Record<TrackKind, readonly SelectionKey[]> = {
  work: ["layer", "op", "dir", "params"],
  calls: ["layer", "op", "dir", "params"],
  gaps: ["cause"],
  ranges: [],
};

export function selectionOf({ track, row }: Hit): Selection {
  const known = SELECTED[track.kind].flatMap((word) => {
    const text = track.table.text(word, row);
    return text === null ? [] : [[word, text] as const];
  });
  return Object.fromEntries(known);
}

interface MarkId {
  readonly track: { readonly kind: TrackKind };
  readonly row: number;
}

/** For the address: "work.1234". */
export const toMarkWord = ({ track, row }: MarkId): string => `${track.kind}.${row}`;

export function hitOf(scene: Scene, word: string | undefined): Hit | null {
  const [kind, number] = (word ?? "").split(".");
  const row = Number(number);
  if (!number || !Number.isInteger(row)) return null;
  for (const track of scene.tracks) {
    if (track.kind !== kind) continue;
    for (const lane of track.lanes) {
      const mark = lane.rows.indexOf(row);
      if (mark >= 0) return { track, lane, mark, row };
    }
  }
  return null;
}
