// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as text: for people as tables print them, for programs as csv has them.
import { IS_AT_LEAST, IS_ESTIMATE, type Column } from "../data/column";
import type { ColumnInfo } from "../data/document";
import { estimate, fixed, grouped, instant, ms, real, scaledTime, timeDigits } from "./numbers";
import { LONGEST_LIST, tensorCount, withShortLists } from "./tensor_lists";

const ALL_DECIMALS = 255;

/** Of what is unknown or not applicable. */
export const ABSENT = "-";

/** A cell as tables print it, but in full: the caller shortens names. */
export function cellText(column: Column, row: number): string {
  if (column.isNull(row)) return ABSENT;
  const text = column.text(row);
  if (text !== null) {
    if (column.info.type === "json") return jsonForEyes(text, LONGEST_LIST) || ABSENT;
    return column.info.style === "tensors" ? withShortLists(text) : text;
  }
  const exact = column.exact(row);
  if (exact !== undefined) return numberText(column.info, String(exact));
  return markedNumber(column.info, column.number(row), column.mark(row));
}

/** A number in the style of a column. */
export function markedNumber(info: ColumnInfo, value: number, mark = 0): string {
  if (mark === IS_ESTIMATE) {
    const shown = estimate(info.style === "time" ? value / 1e6 : value);
    return withPercent(info, shown);
  }
  const prefix = mark === IS_AT_LEAST ? "≥" : "";
  return withPercent(info, prefix + numberText(info, plainNumber(info, value)));
}

/** The header with the unit, as tables head a column. */
export function heading(info: ColumnInfo): string {
  const unit = info.style === "time" || info.style === "instant" ? "ms" : info.unit;
  return unit ? `${info.header}(${unit})` : info.header;
}

/** What a word of a column means, where its words come from a list. */
export function meaningOf(info: ColumnInfo, word: string): string | undefined {
  return info.values && Object.hasOwn(info.values, word) ? info.values[word] : undefined;
}

/** All digits, no grouping; absent: empty. */
export function exactText(column: Column, row: number): string {
  if (column.isNull(row)) return "";
  const text = column.text(row);
  if (text !== null) return column.info.type === "json" ? jsonForEyes(text, Infinity) : text;
  return String(column.exact(row) ?? real(column.number(row)));
}

function plainNumber(info: ColumnInfo, value: number): string {
  switch (info.style) {
    case "time":
      return ms(value);
    case "instant":
      return instant(value);
    case "scaled_time":
      return scaledTime(value);
    case "time_digits":
      return timeDigits(value);
    default:
  }
  if (info.type !== "real" || info.decimals === ALL_DECIMALS) return real(value);
  return fixed(value, info.decimals);
}

function numberText(info: ColumnInfo, text: string): string {
  return info.grouped ? grouped(text) : text;
}

function withPercent(info: ColumnInfo, text: string): string {
  return info.style === "percent" ? text + "%" : text;
}

/** Lists and objects as tables print them: "(64,3),(64)", "512,1,1", "layer=exact,op=exact". */
function jsonForEyes(json: string, longestList: number): string {
  const value = JSON.parse(json) as unknown;
  if (Array.isArray(value)) {
    const isShapes = value.every((item) => Array.isArray(item));
    if (isShapes && value.length > longestList) return tensorCount(value as number[][]);
    return value.map(listItem).join(",");
  }
  if (value !== null && typeof value === "object") {
    return Object.entries(value)
      .map(([key, word]) => `${key}=${String(word)}`)
      .join(",");
  }
  return String(value);
}

function listItem(item: unknown): string {
  return Array.isArray(item) ? `(${item.map(String).join(",")})` : String(item);
}
