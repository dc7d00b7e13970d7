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
    const causes = made.get("gaps")?.key.legend ?? [];
    const idle = causes.map(({ name, color }) => ({ name: `idle: ${name}`, color }));
    this.legend = [...(made.get("work")?.key.legend.slice(0, 8) ?? []), ...idle];
  }

  private keyOf({ kind, table }: Track, mode: ColorMode): ColorKey {
    switch (kind) {
      case "work":
        return colorKey(table, mode, opColors(this.model));
      case "gaps":
        return causeKey(table);
      case "ranges":
        return nameKey(table, "text");
      case "calls":
        return plainKey(table.rows, CALL_COLOR);
    }
  }
}
