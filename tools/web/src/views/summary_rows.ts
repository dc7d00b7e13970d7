// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines of the report summary, by section and words.
import type { Table } from "../data/model";
import { ABSENT, cellText } from "../text/cells";
import { isOf, type Gpu } from "./gpus";

export interface SummaryLine {
  readonly what: string;
  readonly dir: string | null;
  /** As the report prints them; "-": absent. */
  readonly time: string;
  readonly share: string;
  readonly headroom: string;
  readonly detail: string;
  /** In percent of the step; NaN: absent. */
  readonly sharePct: number;
  readonly row: number;
}

/** Of one GPU, or of all. */
export function summaryLines(table: Table, section: string, gpu: Gpu | undefined): SummaryLine[] {
  const rows = table.rowsWith("section", section).filter((row) => isOf(gpu, table, row));
  return rows.map((row) => lineAt(table, row));
}

export function summaryLine(lines: readonly SummaryLine[], what: string): SummaryLine | undefined {
  return lines.find((line) => line.what === what);
}

function lineAt(table: Table, row: number): SummaryLine {
  const print = (word: string) => {
    const column = table.column(word);
    return column ? cellText(column, row) : ABSENT;
  };
  return {
    what: table.text("what", row) ?? "",
    dir: table.text("dir", row),
    time: print("time_ns"),
    share: print("share_pct"),
    headroom: print("headroom_ns"),
    detail: table.text("detail", row) ?? "",
    sharePct: table.number("share_pct", row),
    row,
  };
}
