// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which rows of a grid are shown: those of the selection, and those that meet the conditions
// typed above the columns.
import type { Column } from "../data/column";
import { SELECTABLE, type State } from "../state/store";
import { cellText } from "../text/cells";
import { isInLayer } from "../text/layers";
import { cellAt, gridColumn, type Grid, type GridColumn } from "./grid";

/** Whether a cell is meant; absent cells are asked, too. */
type CellTest = (column: Column, row: number) => boolean;

/** Rows in the grid's order. `conditions`: by column. */
export function chosenRows(
  grid: Grid,
  state: Pick<State, "selection" | "step" | "search">,
  conditions: Readonly<Record<string, string>>,
): Uint32Array {
  let rows = allRows(grid.rows);
  for (const key of SELECTABLE) {
    const value = state.selection[key];
    const column = gridColumn(grid, key);
    if (value !== undefined && column) rows = kept(rows, column, selectionTest(key, value));
  }
  const step = gridColumn(grid, "step");
  if (state.step !== null && step) {
    const wanted = state.step;
    rows = kept(rows, step, (column, row) => column.number(row) === wanted);
  }
  for (const [key, condition] of Object.entries(conditions)) {
    const column = gridColumn(grid, key);
    if (column && condition.trim()) rows = kept(rows, column, conditionTest(column, condition));
  }
  if (state.search) rows = rowsWithText(grid, rows, state.search);
  return rows;
}

function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let row = 0; row < count; ++row) rows[row] = row;
  return rows;
}

function kept(rows: Uint32Array, column: GridColumn, test: CellTest): Uint32Array {
  return rows.filter((row) => {
    const cell = cellAt(column, row);
    return cell !== null && test(cell.column, cell.row);
  });
}

function selectionTest(key: string, value: string): CellTest {
  if (key === "layer") return textTest(isInLayer(value));
  const number = Number(value);
  const isText = textTest((text) => text === value);
  return (column, row) =>
    column.hasTexts ? isText(column, row) : column.number(row) === number;
}

/** Each distinct text is asked once. */
function textTest(meets: (text: string) => boolean): CellTest {
  const answers = new Map<Column, Uint8Array>();
  return (column, row) => {
    let answer = answers.get(column);
    if (!answer) {
      answer = Uint8Array.from(column.texts, (text) => Number(meets(text)));
      answers.set(column, answer);
    }
    const id = column.ids[row] ?? 0;
    return id > 0 && answer[id - 1] === 1;
  };
}

const COMPARISON = /^(<=|>=|<|>|=|!=)\s*(-?[\d.]+(?:e-?\d+)?)$/i;
const BETWEEN = /^(-?[\d.]+)\s*\.\.\s*(-?[\d.]+)$/;

/** ">0.5", "1..10" in the unit of the heading; "-": absent; any other text is looked for. */
function conditionTest(grid: GridColumn, condition: string): CellTest {
  const wanted = condition.trim();
  if (wanted === "-") return (column, row) => column.isNull(row);
  if (wanted === "*") return (column, row) => !column.isNull(row);
  const isText = grid.info.type === "text" || grid.info.type === "json";
  const scale = grid.info.style === "time" || grid.info.style === "instant" ? 1e-6 : 1;
  const compares = isText ? null : comparison(wanted);
  if (compares) {
    return (column, row) => !column.isNull(row) && compares(column.number(row) * scale);
  }
  const lower = wanted.toLowerCase();
  if (isText) return textTest((text) => text.toLowerCase().includes(lower));
  return (column, row) => !column.isNull(row) && cellText(column, row).startsWith(wanted);
}

function comparison(condition: string): ((value: number) => boolean) | null {
  const between = BETWEEN.exec(condition);
  if (between) {
    const [low, high] = [Number(between[1]), Number(between[2])];
    return (value) => value >= low && value <= high;
  }
  const [, sign, digits] = COMPARISON.exec(condition) ?? [];
  const limit = Number(digits);
  switch (sign) {
    case "<":
      return (value) => value < limit;
    case "<=":
      return (value) => value <= limit;
    case ">":
      return (value) => value > limit;
    case ">=":
      return (value) => value >= limit;
    case "=":
      return (value) => value === limit;
    case "!=":
      return (value) => value !== limit;
    default:
      return null;
  }
}

/** Rows that have the text in any column of texts. */
function rowsWithText(grid: Grid, rows: Uint32Array, search: string): Uint32Array {
  const lower = search.toLowerCase();
  const test = textTest((text) => text.toLowerCase().includes(lower));
  const columns = grid.columns.filter(({ info }) => info.type === "text");
  return rows.filter((row) =>
    columns.some((column) => {
      const cell = cellAt(column, row);
      return cell !== null && test(cell.column, cell.row);
    }),
  );
}
