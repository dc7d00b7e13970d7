// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a color means: for each row of a table an index into a palette, and the palette's words.
// Index 0 is that of rows that are not selected; views color it by their theme.
import type { Column } from "../data/column";
import type { Model, Table } from "../data/model";
import {
  boundColor,
  causeColor,
  colorsOf,
  directionColor,
  rampColor,
  tintOf,
  UNKNOWN_COLOR,
} from "./colors";
import type { LegendEntry, Option } from "./controls";
import { DIMMED } from "./timeline/pyramid";

export type ColorMode = "op" | "dir" | "bound" | "limit";

const COLOR_MODES: readonly Option[] = [
  { value: "op", text: "op" },
  { value: "dir", text: "direction" },
  { value: "bound", text: "bound" },
  { value: "limit", text: "% of limit" },
];

const MODE_COLUMNS: Record<ColorMode, string> = {
  op: "op",
  dir: "dir",
  bound: "bound",
  limit: "roofline_pct",
};

/** Those for which the table has the column. */
export const colorModes = (table: Table | undefined): readonly Option[] =>
  COLOR_MODES.filter(({ value }) => table?.column(MODE_COLUMNS[value as ColorMode]));

export const colorModeOf = (word: string | undefined): ColorMode =>
  (COLOR_MODES.find(({ value }) => value === word)?.value ?? "op") as ColorMode;

export interface ColorKey {
  readonly index: Uint16Array;
  readonly palette: readonly string[];
  readonly legend: readonly LegendEntry[];
}

const UNKNOWN = 1;
/** Shades of the ramp: more cannot be told apart. */
const SHADES = 20;

export type Dictionary = ReadonlyMap<string, string>;

const dictionaries = new WeakMap<Model, Dictionary>();

/** A color for each op, the same in all views: those that take longest differ most. */
export function opColors(model: Model): Dictionary {
  const known = dictionaries.get(model);
  if (known) return known;
  const made = colorsOf(opTimes(model));
  if (model.isComplete) dictionaries.set(model, made);
  return made;
}

function* opTimes(model: Model): Generator<[string, number]> {
  for (const table of model.tables) {
    const op = table.column("op");
    const time = table.column("time_ns");
    if (table.name !== "groups" || !op || !time) continue;
    for (let row = 0; row < table.rows; ++row) yield [op.text(row) ?? "", time.number(row) || 0];
  }
}

export function colorKey(table: Table, mode: ColorMode, ops: Dictionary): ColorKey {
  switch (mode) {
    case "op":
      return byWord(table, "op", (word) => ops.get(word) ?? UNKNOWN_COLOR, ops);
    case "dir":
      return byWord(table, "dir", directionColor);
    case "bound":
      return byWord(table, "bound", boundColor);
    case "limit":
      return byLimit(table.column("roofline_pct"), table.rows);
  }
}

/** In the order of the report gaps: the causes that take most of a steady step first. */
export function causeKey(table: Table, gaps: Table | undefined): ColorKey {
  const order = gaps?.column("cause")?.texts.map((word) => [word, ""] as const);
  return byWord(table, "cause", causeColor, new Map(order));
}

/** Of names without a meaning to the reports: neighbors mostly differ. */
export const nameKey = (table: Table, word: string): ColorKey => byWord(table, word, tintOf);

/** Of what has no name: one color. */
export function plainKey(rows: number, color: string): ColorKey {
  return { index: new Uint16Array(rows).fill(UNKNOWN), palette: ["", color], legend: [] };
}

function byWord(
  table: Table,
  word: string,
  colorOf: (text: string) => string,
  order?: Dictionary,
): ColorKey {
  const column = table.column(word);
  if (!column?.hasTexts) return plainKey(table.rows, UNKNOWN_COLOR);
  const words = column.texts;
  const last = 0xffff - UNKNOWN;
  const { ids } = column;
  const index = new Uint16Array(table.rows);
  for (let row = 0; row < index.length; ++row) {
    const id = ids[row]!;
    index[row] = (id <= last ? id : 0) + UNKNOWN;
  }
  const palette = ["", UNKNOWN_COLOR, ...words.map(colorOf)];
  const known = words.map((name) => ({ name, color: colorOf(name) }));
  const ranks = order && new Map([...order.keys()].map((name, i) => [name, i]));
  if (ranks) known.sort((a, b) => (ranks.get(a.name) ?? 1e9) - (ranks.get(b.name) ?? 1e9));
  return { index, palette, legend: known };
}

function byLimit(column: Column | undefined, rows: number): ColorKey {
  if (!column) return plainKey(rows, UNKNOWN_COLOR);
  const { numbers } = column;
  const index = new Uint16Array(rows);
  for (let row = 0; row < rows; ++row) {
    const shade = Math.min(SHADES - 1, Math.floor((numbers[row]! * SHADES) / 100));
    index[row] = UNKNOWN + (Number.isNaN(shade) ? 0 : 1 + shade);
  }
  const shades = Array.from({ length: SHADES }, (_, i) => rampColor(i / (SHADES - 1)));
  const legend = [0, 25, 50, 75, 100].map((pct) => ({
    name: `${pct} %`,
    color: rampColor(pct / 100),
  }));
  legend.push({ name: "unknown", color: UNKNOWN_COLOR });
  return { index, palette: ["", UNKNOWN_COLOR, ...shades], legend };
}

/** The key with all rows that are not meant in the first color. */
export function dimmed(key: ColorKey, meant: Uint8Array | null): Uint16Array {
  return meant ? key.index.map((color, row) => (meant[row] ? color : DIMMED)) : key.index;
}
