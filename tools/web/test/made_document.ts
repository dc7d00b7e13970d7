// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents for tests, encoded as docs/formats/columns.md says; what the tests read, they know.
import { deflateRawSync } from "node:zlib";
import type {
  CellType,
  ChunkData,
  ColumnData,
  ColumnInfo,
  DocumentData,
  Side,
  TableData,
} from "../src/data/document";

export type Cell = number | bigint | string | boolean | null;

export interface MadeColumn extends Partial<ColumnInfo> {
  readonly word: string;
  readonly type: CellType;
  readonly cells: readonly Cell[];
  /** One a row: 2 at least, 3 estimated. */
  readonly marks?: readonly number[];
  readonly isDelta?: boolean;
  readonly divisor?: number;
  readonly chunkRows?: number;
}

function stream(bytes: Uint8Array | number[]): string {
  return deflateRawSync(Uint8Array.from(bytes)).toString("base64");
}

function pushUnsigned(bytes: number[], value: bigint): void {
  let rest = value;
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
}

function pushSigned(bytes: number[], value: bigint): void {
  pushUnsigned(bytes, value < 0n ? -value * 2n - 1n : value * 2n);
}

function integers(cells: readonly Cell[], column: MadeColumn): string {
  const bytes: number[] = [];
  let before = 0n;
  for (const cell of cells) {
    const value =
      typeof cell === "bigint" ? cell : BigInt(Math.round(Number(cell) * (column.divisor ?? 1)));
    pushSigned(bytes, column.isDelta ? value - before : value);
    before = value;
  }
  return stream(bytes);
}

function reals(cells: readonly Cell[]): string {
  const view = new DataView(new ArrayBuffer(8 * cells.length));
  cells.forEach((cell, row) => view.setFloat64(8 * row, Number(cell), true));
  const bytes: number[] = [];
  for (let byte = 0; byte < 8; ++byte) {
    for (let row = 0; row < cells.length; ++row) bytes.push(view.getUint8(8 * row + byte));
  }
  return stream(bytes);
}

function chunk(column: MadeColumn, first: number, texts: string[]): ChunkData {
  const last = first + (column.chunkRows ?? Infinity);
  const cells = column.cells.slice(first, last);
  const rows = cells.length;
  if (cells.every((cell) => cell === null)) return { rows, encoding: "null" };
  if (column.type === "text" || column.type === "json") {
    const bytes: number[] = [];
    for (const cell of cells) {
      if (cell !== null && !texts.includes(String(cell))) texts.push(String(cell));
      pushUnsigned(bytes, BigInt(cell === null ? 0 : texts.indexOf(String(cell)) + 1));
    }
    return { rows, encoding: column.type, data: stream(bytes) };
  }
  const marks = column.marks?.slice(first, last);
  const flags = cells.map((cell, row) => (cell === null ? 1 : (marks?.[row] ?? 0)));
  const flagged = flags.some((flag) => flag !== 0) ? { flags: stream(flags) } : {};
  if (column.type === "bool") {
    return { rows, encoding: "bool", data: stream(cells.map(Number)), ...flagged };
  }
  if (column.type === "real" && column.divisor === undefined) {
    return { rows, encoding: "real", data: reals(cells), ...flagged };
  }
  return {
    rows,
    encoding: column.isDelta ? "delta" : "integer",
    data: integers(cells, column),
    ...(column.divisor === undefined ? {} : { divisor: column.divisor }),
    ...flagged,
  };
}

function columnData(column: MadeColumn): ColumnData {
  const texts: string[] = [];
  const chunks: ChunkData[] = [];
  const step = column.chunkRows ?? Math.max(1, column.cells.length);
  for (let first = 0; first < column.cells.length; first += step) {
    chunks.push(chunk(column, first, texts));
  }
  const isNumber = column.type === "integer" || column.type === "real";
  return {
    word: column.word,
    header: column.header ?? column.word,
    unit: column.unit ?? "",
    type: column.type,
    help: column.help ?? `what ${column.word} is`,
    style: column.style ?? "plain",
    decimals: column.decimals ?? (column.type === "real" ? 1 : 0),
    grouped: column.grouped ?? false,
    right: column.right ?? isNumber,
    place: column.place ?? "cell",
    ...(texts.length > 0 ? { texts: stream(new TextEncoder().encode(JSON.stringify(texts))) } : {}),
    chunks,
  };
}

/** Of as many rows as its columns have. */
export function madeTable(
  name: string,
  columns: readonly MadeColumn[],
  more: { side?: Side; keys?: readonly string[]; missing?: string; title?: string } = {},
): TableData {
  return {
    name,
    report: name,
    side: more.side ?? null,
    title: more.title ?? `what ${name} lists.`,
    missing: more.missing ?? "",
    keys: more.keys ?? [],
    rows: columns[0]?.cells.length ?? 0,
    columns: columns.map(columnData),
  };
}

export function madeDocument(
  tables: readonly TableData[],
  more: Partial<DocumentData> = {},
): DocumentData {
  return {
    format: "prof-columns",
    version: 1,
    prof_version: "0.0.0",
    traces: [{ name: "trace.db", rank: null, host: null, run: null }],
    notes: ["trace: trace.db, NVIDIA H200"],
    warnings: [],
    ...more,
    tables,
  };
}

/** As prof-report writes it into a page. */
export function documentScript(document: DocumentData, number: number): string {
  const json = JSON.stringify(document).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="prof-columns-${number}">${json}</script>`;
}
