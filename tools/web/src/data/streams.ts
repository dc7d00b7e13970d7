// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of docs/formats/columns.md: base64 of raw deflate, and the integers in them.
import { inflateSync } from "fflate";

/** fflate, as a page has hundreds of small streams, and DecompressionStream is slow to start. */
export function unpack(base64: string): Uint8Array {
  const packed = atob(base64);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  return inflateSync(bytes);
}

/** Reads LEB128 numbers, one after the other. */
export class VarintReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Exact below 2^53. */
  unsigned(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** A zigzag integer; beyond 2^53 as a bigint. */
  signed(): number | bigint {
    const start = this.at;
    const value = this.unsigned();
    if (value > Number.MAX_SAFE_INTEGER) {
      this.at = start;
      return this.bigSigned();
    }
    const half = Math.floor(value / 2);
    return value % 2 === 0 ? half : -half - 1;
  }

  private bigSigned(): number | bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    const signed = (value & 1n) === 0n ? value >> 1n : -(value >> 1n) - 1n;
    const number = Number(signed);
    return Number.isSafeInteger(number) ? number : signed;
  }

  private byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new Error("a column of the data is cut off");
    return byte;
  }
}

/** Doubles whose first bytes come first, then all second ones, ... */
export function shuffledReals(bytes: Uint8Array, rows: number): Float64Array {
  if (bytes.length !== 8 * rows) throw new Error("a column of the data has the wrong length");
  const plain = new Uint8Array(8 * rows);
  for (let byte = 0; byte < 8; ++byte) {
    for (let row = 0; row < rows; ++row) plain[8 * row + byte] = bytes[byte * rows + row] ?? 0;
  }
  const reals = new Float64Array(rows);
  const view = new DataView(plain.buffer);
  for (let row = 0; row < rows; ++row) reals[row] = view.getFloat64(8 * row, true);
  return reals;
}
