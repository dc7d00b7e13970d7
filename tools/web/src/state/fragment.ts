// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The state as the fragment of the address: "#view=gemms&sel.op=linear&sort.gemms=-time_ns".
// Whoever edits it by hand gets what can be read of it, and the rest as it is at first.
import {
  INITIAL_STATE,
  SELECTABLE,
  type SelectionKey,
  type State,
  type Store,
  type TableChoice,
} from "./store";

export function toFragment(state: State): string {
  const words = new URLSearchParams();
  if (state.view !== INITIAL_STATE.view) words.set("view", state.view);
  if (state.step !== null) words.set("step", String(state.step));
  if (state.search) words.set("search", state.search);
  if (state.side !== INITIAL_STATE.side) words.set("side", state.side);
  for (const key of SELECTABLE) {
    const value = state.selection[key];
    if (value !== undefined) words.set(`sel.${key}`, value);
  }
  for (const [name, { sort, columns, filters }] of Object.entries(state.tables)) {
    if (sort) words.set(`sort.${name}`, sort);
    if (columns) words.set(`columns.${name}`, columns.join(","));
    for (const [word, condition] of Object.entries(filters ?? {})) {
      if (condition) words.set(`where.${name}.${word}`, condition);
    }
  }
  for (const [key, value] of Object.entries(state.canvas)) words.set(`canvas.${key}`, value);
  return words.toString();
}

export function fromFragment(fragment: string): State {
  const selection: Partial<Record<SelectionKey, string>> = {};
  const tables: Record<string, TableChoice> = {};
  const canvas: Record<string, string> = {};
  const state = { ...INITIAL_STATE, selection, tables, canvas };
  for (const [word, value] of new URLSearchParams(fragment.replace(/^#/, ""))) {
    const [kind = "", ...names] = word.split(".");
    const [name = "", column = ""] = names;
    switch (kind) {
      case "view":
        state.view = value;
        break;
      case "step":
        state.step = /^-?\d+$/.test(value) ? Number(value) : null;
        break;
      case "search":
        state.search = value;
        break;
      case "side":
        state.side = value === "base" ? "base" : "new";
        break;
      case "sel":
        if (isSelectable(name)) selection[name] = value;
        break;
      case "sort":
        tables[name] = { ...tables[name], sort: value };
        break;
      case "columns":
        tables[name] = { ...tables[name], columns: value.split(",") };
        break;
      case "where":
        tables[name] = { ...tables[name], filters: { ...tables[name]?.filters, [column]: value } };
        break;
      case "canvas":
        canvas[names.join(".")] = value;
        break;
      default:
    }
  }
  return state;
}

function isSelectable(word: string): word is SelectionKey {
  return (SELECTABLE as readonly string[]).includes(word);
}

/** Keeps both equal. Another view or selection is a step that the browser's Back undoes. */
export function mirrorInFragment(store: Store, page: Window): void {
  store.set(fromFragment(page.location.hash));
  let before = store.state;
  store.listen((state) => {
    const fragment = "#" + toFragment(state);
    const isStep = state.view !== before.view || state.selection !== before.selection;
    before = state;
    if (fragment === (page.location.hash || "#")) return;
    try {
      if (isStep) page.history.pushState(null, "", fragment);
      else page.history.replaceState(null, "", fragment);
    } catch {
      // A sandboxed frame, as in a notebook, has no address of its own.
    }
  });
  page.addEventListener("popstate", () => {
    before = fromFragment(page.location.hash);
    store.set(before);
  });
}
