// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The colors of all marks of a scene, and which of them are dimmed by the selection.
import type { Model, Table } from "../../data/model";
import type { Selection } from "../../state/store";
import {
  causeKey,
  colorKey,
  dimmed,
  nameKey,
  opColors,
  plainKey,
  type ColorKey,
  type ColorMode,
} from "../color_key";
import type { LegendEntry } from "../controls";
import { matches } from "../matches";
import type { Scene, Track, TrackKind } from "./scene";

/** In front of the causes of idle time, which matter as much. */
const MOST_OF_WORK = 7;
const CALL_COLOR = "#8c96a0";

export class Coloring {
  readonly palettes = new Map<Track, readonly string[]>();
  legend: readonly LegendEntry[] = [];

  constructor(
    private readonly model: Model,
    private readonly scene: Scene,
  ) {}

  apply(mode: ColorMode, selection: Selection, search: string): void {
    const meant = new Map<Table, Uint8Array | null>();
    const made = new Map<TrackKind, { key: ColorKey; index: Uint16Array }>();
    for (const track of this.scene.tracks) {
      const { table, kind, lanes } = track;
      if (!meant.has(table)) meant.set(table, matches(table, selection, search));
      let colors = made.get(kind);
      if (!colors) {
        const key = this.keyOf(track, mode);
        made.set(kind, (colors = { key, index: dimmed(key, meant.get(table) ?? null) }));
      }
      for (const { pyramid, rows } of lanes) pyramid.recolor(rows, colors.index);
      this.palettes.set(track, colors.key.palette);
    }
    const work = made.get("work")?.key.legend ?? [];
    const idle = (made.get("gaps")?.key.legend ?? []).map(({ name, color }) => ({
      name: `idle: ${name}`,
      color,
      isHatched: true,
    }));
    this.legend = [...work.slice(0, MOST_OF_WORK), ...idle, ...work.slice(MOST_OF_WORK)];
  }

  private keyOf({ kind, table }: Track, mode: ColorMode): ColorKey {
    switch (kind) {
      case "work":
        return colorKey(table, mode, opColors(this.model));
      case "gaps":
        return causeKey(table, this.model.table("gaps", table.side));
      case "ranges":
        return nameKey(table, "text");
      case "calls":
        return plainKey(table.rows, CALL_COLOR);
    }
  }
}
