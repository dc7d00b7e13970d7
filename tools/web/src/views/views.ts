// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page's views, each a tab. A view is there if the page has data for it; a table that no view
// shows has a place in the last one.
import type { ComponentType } from "preact";
import { CANVAS_VIEWS } from "../canvas/canvas_views";
import type { Model } from "../data/model";
import { canvasContent } from "./canvas_view";
import { DiffView } from "./diff_view";
import { NOTE_TABLES, NotesView } from "./notes_view";
import { Overview } from "./overview";
import { STEP_TABLES, StepsView } from "./steps_view";
import { tablesContent } from "./tables_view";

export interface View {
  readonly id: string;
  readonly title: string;
  readonly Content: ComponentType;
  /** Names of the tables whose rows the selection chooses in this view. */
  readonly chosenFrom: readonly string[];
}

interface Candidate extends View {
  has(model: Model): boolean;
  readonly tables: readonly string[];
}

const RANK_TABLES = ["stragglers", "ranks", "imbalance", "collectives", "pipeline", "comm"];

function ofTables(id: string, title: string, tables: readonly string[]): Candidate {
  const has = (model: Model) =>
    model.tables.some(({ name, rows }) => rows > 0 && tables.includes(name));
  return { id, title, tables, has, chosenFrom: tables, Content: tablesContent(tables) };
}

const CANDIDATES: readonly Candidate[] = [
  {
    id: "overview",
    title: "Overview",
    tables: ["summary", "advice"],
    chosenFrom: [], // It is about the whole step.
    has: () => true,
    Content: Overview,
  },
  {
    id: "diff",
    title: "What changed",
    tables: ["diff"],
    chosenFrom: ["diff"],
    has: (model) => model.table("diff") !== undefined,
    Content: DiffView,
  },
  ...CANVAS_VIEWS.map((view) => ({
    id: view.id,
    title: view.title,
    tables: view.tables,
    chosenFrom: view.drawn,
    has: (model: Model) => view.has(model),
    Content: canvasContent(view),
  })),
  ofTables("idle", "Why idle", ["gaps", "launch", "idle"]),
  { ...ofTables("steps", "Steps", STEP_TABLES), Content: StepsView },
  ofTables("gemms", "GEMMs", ["gemms"]),
  ofTables("memory", "Memory", ["memory", "torch_memory"]),
  ofTables("clocks", "Clocks", ["clocks", "device"]),
  ofTables("ranks", "Ranks", RANK_TABLES),
  ofTables("kernels", "Kernels", ["work", "ranges"]),
  {
    id: "notes",
    title: "Notes",
    tables: NOTE_TABLES,
    chosenFrom: NOTE_TABLES,
    has: () => true,
    Content: NotesView,
  },
];

/** Names of the tables that some view shows. */
const PLACED = new Set(CANDIDATES.flatMap(({ tables }) => tables));

export function viewsOf(model: Model): readonly View[] {
  const views: View[] = CANDIDATES.filter((view) => view.has(model));
  const others = [...new Set(model.tables.map(({ name }) => name))].filter((n) => !PLACED.has(n));
  if (others.length > 0) views.push(moreView(others));
  return views;
}

/** Whether the selection by a column chooses what the view shows. */
export function isChosenBy(model: Model, view: View, word: string): boolean {
  return model.tables.some(
    (table) => view.chosenFrom.includes(table.name) && table.column(word) !== undefined,
  );
}

/** Where a selection by this column is seen: here, if this view has the column. */
export function viewShowing(model: Model, current: View | undefined, word: string): string {
  if (current && isChosenBy(model, current, word)) return current.id;
  const views = viewsOf(model).filter((view) => isChosenBy(model, view, word));
  const fit = ["kernels", "idle"].find((id) => views.some((view) => view.id === id));
  return fit ?? (views[0] ?? current)?.id ?? "";
}

let lastMore: { key: string; view: View } | null = null;

/** The same object for the same tables: another component would lose what it holds. */
function moreView(names: readonly string[]): View {
  const key = names.join(" ");
  if (lastMore?.key !== key) {
    lastMore = { key, view: { ...ofTables("more", "More", names) } };
  }
  return lastMore.view;
}
