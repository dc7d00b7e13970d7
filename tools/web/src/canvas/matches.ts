// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a table the selection and the search mean. Decided once for each distinct text, so
// a million rows cost a look-up each.
import type { Table } from "../data/model";
import { SELECTABLE, type Selection, type SelectionKey } from "../state/store";
import { isInLayer } from "../text/layers";

const SEARCHED = ["layer", "op", "kernel", "params", "text"] as const;

/** 1: meant. Null: there is no condition that the table can meet or fail. */
export function matches(table: Table, selection: Selection, search: string): Uint8Array | null {
  let result: Uint8Array | null = null;
  for (const word of SELECTABLE) {
    const chosen = selection[word];
    if (chosen !== undefined) result = both(result, equal(table, word, chosen));
  }
  return search ? both(result, containing(table, search)) : result;
}

function both(a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null {
  if (!a || !b) return a ?? b;
  return a.map((value, row) => value & b[row]!);
}

function equal(table: Table, word: SelectionKey, chosen: string): Uint8Array | null {
  const column = table.column(word);
  if (!column) return null;
  const result = new Uint8Array(table.rows);
  if (!column.hasTexts) {
    const number = Number(chosen);
    column.numbers.forEach((value, row) => (result[row] = Number(value === number)));
    return result;
  }
  const isMeant = word === "layer" ? isInLayer(chosen) : (text: string) => text === chosen;
  const meant = column.texts.map((text) => Number(isMeant(text)));
  column.ids.forEach((id, row) => (result[row] = meant[id - 1] ?? 0));
  return result;
}

/** A word of the search in any of the names, whatever its case. */
function containing(table: Table, search: string): Uint8Array | null {
  const columns = SEARCHED.flatMap((word) => table.column(word) ?? []);
  if (columns.length === 0) return null;
  const wanted = search.toLowerCase();
  const result = new Uint8Array(table.rows);
  for (const column of columns) {
    const meant = column.texts.map((text) => Number(text.toLowerCase().includes(wanted)));
    if (meant.includes(1)) column.ids.forEach((id, row) => (result[row]! |= meant[id - 1] ?? 0));
  }
  return result;
}
