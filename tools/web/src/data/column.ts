// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A column of a table. It is unpacked when it is first read: of a million rows a page shows a few
// columns, and the rest costs nothing.
import type { ChunkData, ColumnData, ColumnInfo } from "./document";
import { shuffledReals, unpack, VarintReader } from "./streams";

// Flags of a cell.
const IS_NULL = 1;
/** The reports print "≥". */
export const IS_AT_LEAST = 2;
/** The reports print "~". */
export const IS_ESTIMATE = 3;

interface Numbers {
  /** NaN: null. */
  readonly values: Float64Array;
  readonly marks: Uint8Array | null;
  /** Rows whose integers a double does not hold. */
  readonly exact: ReadonlyMap<number, bigint>;
}

interface Texts {
  readonly ids: Uint32Array;
  readonly texts: readonly string[];
}

export class Column {
  readonly info: ColumnInfo;
  /** Whether the values are texts (or JSON) by id; otherwise they are numbers. */
  readonly hasTexts: boolean;
  private unpackedNumbers: Numbers | null = null;
  private unpackedTexts: Texts | null = null;

  constructor(
    private readonly data: ColumnData,
    readonly rows: number,
  ) {
    this.info = data;
    this.hasTexts = data.type === "text" || data.type === "json";
  }

  /** Numbers and bools (0, 1); NaN: null. Of texts all NaN. */
  get numbers(): Float64Array {
    return this.readNumbers().values;
  }

  /** texts[ids[row] - 1]; 0: null. */
  get ids(): Uint32Array {
    return this.readTexts().ids;
  }

  /** The distinct texts in the order of their first use; of JSON values their JSON. */
  get texts(): readonly string[] {
    return this.readTexts().texts;
  }

  isNull(row: number): boolean {
    return this.hasTexts ? !this.ids[row] : Number.isNaN(this.numbers[row] ?? NaN);
  }

  /** NaN: null. */
  number(row: number): number {
    return this.numbers[row] ?? NaN;
  }

  text(row: number): string | null {
    return this.hasTexts ? (this.texts[(this.ids[row] ?? 0) - 1] ?? null) : null;
  }

  /** IS_AT_LEAST, IS_ESTIMATE, or 0. */
  mark(row: number): number {
    return this.readNumbers().marks?.[row] ?? 0;
  }

  /** An integer that a double does not hold. */
  exact(row: number): bigint | undefined {
    return this.readNumbers().exact.get(row);
  }

  private readTexts(): Texts {
    return (this.unpackedTexts ??= unpackTexts(this.data, this.rows));
  }

  private readNumbers(): Numbers {
    return (this.unpackedNumbers ??= unpackNumbers(this.data.chunks, this.rows));
  }
}

function unpackTexts(data: ColumnData, rows: number): Texts {
  const texts = data.texts
    ? (JSON.parse(new TextDecoder().decode(unpack(data.texts))) as string[])
    : [];
  const ids = new Uint32Array(rows);
  let first = 0;
  for (const chunk of data.chunks) {
    const hasIds = chunk.encoding === "text" || chunk.encoding === "json";
    if (hasIds && chunk.data !== undefined) {
      const reader = new VarintReader(unpack(chunk.data));
      const isOther = chunk.encoding !== data.type;
      for (let i = 0; i < chunk.rows; ++i) {
        const id = reader.unsigned();
        ids[first + i] = isOther && id > 0 ? texts.push(JSON.stringify(texts[id - 1])) : id;
      }
    } else if (chunk.data !== undefined) {
      addJsonOf(chunk, first, ids, texts);
    }
    first += chunk.rows;
  }
  return { ids, texts };
}

/** Of a column whose chunks are of several types, the values of one that has no texts. */
function addJsonOf(chunk: ChunkData, first: number, ids: Uint32Array, texts: string[]): void {
  const { values, exact } = unpackNumbers([chunk], chunk.rows);
  for (let i = 0; i < chunk.rows; ++i) {
    const value = values[i] ?? NaN;
    if (Number.isNaN(value)) continue;
    const json = chunk.encoding === "bool" ? String(value !== 0) : String(exact.get(i) ?? value);
    ids[first + i] = texts.push(json);
  }
}

function unpackNumbers(chunks: readonly ChunkData[], rows: number): Numbers {
  const values = new Float64Array(rows).fill(NaN);
  const exact = new Map<number, bigint>();
  let marks: Uint8Array | null = null;
  let first = 0;
  for (const chunk of chunks) {
    unpackChunk(chunk, first, values, exact);
    if (chunk.flags !== undefined) {
      marks ??= new Uint8Array(rows);
      const flags = unpack(chunk.flags);
      for (let i = 0; i < chunk.rows; ++i) {
        const flag = flags[i] ?? 0;
        if (flag === IS_NULL) values[first + i] = NaN;
        else marks[first + i] = flag;
      }
    }
    first += chunk.rows;
  }
  return { values, marks, exact };
}

function unpackChunk(
  chunk: ChunkData,
  first: number,
  values: Float64Array,
  exact: Map<number, bigint>,
): void {
  if (chunk.data === undefined) return;
  const bytes = unpack(chunk.data);
  switch (chunk.encoding) {
    case "real":
      values.set(shuffledReals(bytes, chunk.rows), first);
      return;
    case "bool":
      for (let i = 0; i < chunk.rows; ++i) values[first + i] = bytes[i] ?? NaN;
      return;
    case "integer":
    case "delta":
      break;
    default:
      return;
  }
  const reader = new VarintReader(bytes);
  const divisor = chunk.divisor ?? 1;
  const isDelta = chunk.encoding === "delta";
  let before = 0;
  for (let i = 0; i < chunk.rows; ++i) {
    const value = reader.signed();
    if (typeof value === "bigint" && !isDelta && divisor === 1) exact.set(first + i, value);
    const number = isDelta ? before + Number(value) : Number(value);
    values[first + i] = number / divisor;
    if (isDelta) before = number;
  }
}
