// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A document of `prof-report -f columns` as it is written; docs/formats/columns.md explains it.

/** How tables print a value: Column::Style of tools/report/table/cell.hpp. */
export type Style =
  | "plain"
  | "time"
  | "instant"
  | "scaled_time"
  | "time_digits"
  | "percent"
  | "tensors";

export type CellType = "integer" | "real" | "text" | "bool" | "json";

/** In a diff a table is about the traces of one side, or null: of both. */
export type Side = "base" | "new";

/** What a column says about itself. */
export interface ColumnInfo {
  /** The word for -c, and the key in -f json. */
  readonly word: string;
  readonly header: string;
  readonly unit: string;
  readonly type: CellType;
  readonly help: string;
  readonly style: Style;
  /** Of reals in tables; 255: all. */
  readonly decimals: number;
  readonly grouped: boolean;
  readonly right: boolean;
  readonly place: "cell" | "label" | "heading" | "below";
  readonly values?: Readonly<Record<string, string>>;
}

export type Encoding = "null" | "integer" | "delta" | "real" | "bool" | "text" | "json";

export interface ChunkData {
  readonly rows: number;
  readonly encoding: Encoding;
  readonly data?: string;
  readonly divisor?: number;
  readonly flags?: string;
}

export interface ColumnData extends ColumnInfo {
  readonly texts?: string;
  readonly chunks: readonly ChunkData[];
}

export interface TableData {
  readonly name: string;
  readonly report: string;
  readonly side: Side | null;
  readonly title: string;
  readonly missing: string;
  readonly keys: readonly string[];
  readonly rows: number;
  readonly columns: readonly ColumnData[];
}

export interface TraceData {
  readonly name: string;
  readonly rank: number | null;
  readonly host: string | null;
  readonly run: string | null;
  readonly command_line?: string | null;
  /** Since 1970, UTC. */
  readonly started_ns?: number | null;
  readonly driver?: string | null;
  readonly cuda?: string | null;
  readonly gpus?: readonly { readonly name: string | null }[];
}

export interface DocumentData {
  readonly format: "prof-columns";
  readonly version: number;
  readonly prof_version: string;
  readonly traces: readonly TraceData[];
  readonly tables: readonly TableData[];
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** Every version up to this one is read. */
const VERSION = 1;

/** The document in `text`. Throws an error that says what is wrong with it. */
export function parseDocument(text: string): DocumentData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("the data is cut off or damaged: write the page again");
  }
  const document = value as Partial<DocumentData> | null;
  if (document?.format !== "prof-columns") throw new Error("the data is not of prof-report");
  const version = document.version ?? 0;
  if (version < 1 || version > VERSION) {
    throw new Error(
      `the data has version ${version} of the columns format, this page reads versions up to ` +
        `${VERSION}: it takes a page of libprof ${document.prof_version} or newer`,
    );
  }
  return document as DocumentData;
}
