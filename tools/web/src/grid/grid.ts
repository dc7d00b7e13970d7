// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a table on the page has for rows and columns: those of a report, or of both sides of a
// comparison beside each other.
import type { Column } from "../data/column";
import type { ColumnInfo } from "../data/document";
import type { Table } from "../data/model";
import { ABSENT, cellText, exactText, heading } from "../text/cells";

/** Where a grid's column has its cells. */
export interface Source {
  readonly column: Column;
  /** The column's row of each row of the grid, -1: none. Null: the same row. */
  readonly rowOf: Int32Array | null;
}

export interface GridColumn {
  /** The word of a report's column; of a side "time_ns:base". */
  readonly key: string;
  readonly heading: string;
  readonly info: ColumnInfo;
  /** The first one that has a row of the grid has its cell. */
  readonly sources: readonly Source[];
}

export interface Grid {
  /** Of its table. */
  readonly name: string;
  readonly report: string;
  readonly rows: number;
  readonly columns: readonly GridColumn[];
  /** Keys of the columns that are shown unasked. */
  readonly shown: readonly string[];
}

export interface CellPlace {
  readonly column: Column;
  readonly row: number;
}

/** Null: neither side has the row. */
export function cellAt(grid: GridColumn, row: number): CellPlace | null {
  for (const { column, rowOf } of grid.sources) {
    const source = rowOf ? (rowOf[row] ?? -1) : row;
    if (source >= 0) return { column, row: source };
  }
  return null;
}

export function shownText(column: GridColumn, row: number): string {
  const cell = cellAt(column, row);
  return cell ? cellText(cell.column, cell.row) : ABSENT;
}

export function csvText(column: GridColumn, row: number): string {
  const cell = cellAt(column, row);
  return cell ? exactText(cell.column, cell.row) : "";
}

export function gridColumn(grid: Grid, key: string): GridColumn | undefined {
  return grid.columns.find((column) => column.key === key);
}

export function gridOf(table: Table, shown: readonly string[]): Grid {
  const columns = table.columns.map((column) => ({
    key: column.info.word,
    heading: heading(column.info),
    info: column.info,
    sources: [{ column, rowOf: null }],
  }));
  const { name, report } = table;
  return { name, report, rows: table.rows, columns, shown };
}

/**
 * Rows of both sides that have the same keys beside each other, in the order of the new side; then
 * those of the base side alone. All numbers are the reports' own: what changed beyond chance is for
 * the report diff to say.
 */
export function joinedGrid(
  base: Table,
  fresh: Table,
  keys: readonly string[],
  shownOfSide: readonly string[],
): Grid {
  const { ofBase, ofNew } = joinRows(base, fresh, keys);
  const pairs = new Map<string, GridColumn[]>();
  for (const column of fresh.columns) {
    const { info } = column;
    const other = base.column(info.word);
    const after = { column, rowOf: ofNew };
    const before = other ? [{ column: other, rowOf: ofBase }] : [];
    const head = heading(info);
    const pair = keys.includes(info.word)
      ? [{ key: info.word, heading: head, info, sources: [after, ...before] }]
      : [
          { key: `${info.word}:base`, heading: `${head} before`, info, sources: before },
          { key: `${info.word}:new`, heading: `${head} after`, info, sources: [after] },
        ];
    pairs.set(info.word, pair);
  }
  const shown = shownOfSide.flatMap((word) => {
    const pair = pairs.get(word) ?? [];
    // Texts twice would leave no room for numbers.
    const isTold = pair.length === 1 || !fresh.column(word)?.hasTexts;
    return isTold ? pair.map(({ key }) => key) : [];
  });
  const { name, report } = fresh;
  return { name, report, rows: ofNew.length, columns: [...pairs.values()].flat(), shown };
}

/** For each row of the joined grid the row of either side; -1: none. */
function joinRows(base: Table, fresh: Table, keys: readonly string[]) {
  // Several rows may have the same keys: the first pairs with the first, and so on.
  const unpaired = new Map<string, number[]>();
  for (let row = 0; row < base.rows; ++row) {
    const key = keyOf(base, keys, row);
    const rows = unpaired.get(key);
    if (rows) rows.push(row);
    else unpaired.set(key, [row]);
  }
  const ofNew: number[] = [];
  const ofBase: number[] = [];
  for (let row = 0; row < fresh.rows; ++row) {
    ofNew.push(row);
    ofBase.push(unpaired.get(keyOf(fresh, keys, row))?.shift() ?? -1);
  }
  for (const rows of unpaired.values()) {
    for (const row of rows) {
      ofNew.push(-1);
      ofBase.push(row);
    }
  }
  return { ofNew: Int32Array.from(ofNew), ofBase: Int32Array.from(ofBase) };
}

function keyOf(table: Table, keys: readonly string[], row: number): string {
  const texts = keys.map((word) => {
    const column = table.column(word);
    return column ? exactText(column, row) : "";
  });
  return texts.join("\u0000");
}
