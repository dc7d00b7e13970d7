// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the reader has chosen, for all views: each shows it and none keeps a copy. The address's
// fragment mirrors it (fragment.ts), so that a link leads to what its sender saw.
import type { Side } from "../data/document";

/** Columns that a selection may fix, in all tables that have them. */
export const SELECTABLE = [
  "layer",
  "op",
  "dir",
  "params",
  "dtype",
  "kernel",
  "cause",
  "stream",
  "device",
  "rank",
] as const;

export type SelectionKey = (typeof SELECTABLE)[number];

/** A layer stands for itself and what is inside it (text/layers.ts); any other value for itself. */
export type Selection = Readonly<Partial<Record<SelectionKey, string>>>;

/** How one table is shown. */
export interface TableChoice {
  /** A column's word; "-time_ns": falling. Absent: the report's order. */
  readonly sort?: string;
  /** Absent: those that the report's table has. */
  readonly columns?: readonly string[];
  /** Conditions by column: text that a cell contains, or ">100". */
  readonly filters?: Readonly<Record<string, string>>;
}

export interface State {
  readonly view: string;
  readonly selection: Selection;
  /** The step that the timeline and step lists show; null: all. */
  readonly step: number | null;
  readonly search: string;
  /** In a diff: whose tables are shown. */
  readonly side: Side;
  readonly tables: Readonly<Record<string, TableChoice>>;
  /** What views keep of their own: the zoomed part, the coloring, the GPU. */
  readonly canvas: Readonly<Record<string, string>>;
}

export const INITIAL_STATE: State = {
  view: "overview",
  selection: {},
  step: null,
  search: "",
  side: "new",
  tables: {},
  canvas: {},
};

export class Store {
  private readonly listeners = new Set<(state: State) => void>();

  constructor(private current: State = INITIAL_STATE) {}

  get state(): State {
    return this.current;
  }

  set(change: Partial<State>): void {
    this.current = { ...this.current, ...change };
    for (const listener of [...this.listeners]) listener(this.current);
  }

  /** Adds to the selection; undefined frees a column. */
  select(change: { readonly [key in SelectionKey]?: string | undefined }): void {
    const selection: Record<string, string> = {};
    for (const key of SELECTABLE) {
      const value = key in change ? change[key] : this.current.selection[key];
      if (value !== undefined) selection[key] = value;
    }
    this.set({ selection });
  }

  /** Selects this alone. */
  selectOnly(selection: Selection): void {
    this.set({ selection });
  }

  chooseTable(name: string, change: TableChoice): void {
    const before = this.current.tables[name] ?? {};
    this.set({ tables: { ...this.current.tables, [name]: { ...before, ...change } } });
  }

  setCanvas(key: string, value: string | null): void {
    const { [key]: _, ...others } = this.current.canvas;
    this.set({ canvas: value === null ? others : { ...others, [key]: value } });
  }

  /** Returns how to stop listening. */
  listen(listener: (state: State) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }
}
