// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a node, in words. Times and counts are sums of the report's lines; what is a
// mean over several lines has a "~".
import type { Table } from "../../data/model";
import { cellText, heading } from "../../text/cells";
import { fixed, grouped, ms } from "../../text/numbers";
import type { Facts } from "../card";
import { timeWordOf } from "../groups";
import { changesOf, measure, UNDECIDED } from "./measures";
import { pathOf, rowsBelow, type TreeNode } from "./tree";

const OF_ONE_LINE = [
  "dtype",
  "bound",
  "roofline_pct",
  "tflop_per_s",
  "gb_per_s",
  "intensity",
  "flops",
  "bytes",
];

type Line = readonly [string, string];

export function groupFacts(node: TreeNode, table: Table, whole: number): Facts {
  const rows = [...rowsBelow(node)];
  const lines: Line[] = [
    [timeHeading(table), `${ms(node.time)}, ${share(node.time, whole)}`],
    ...counted(table, rows, "kernels"),
  ];
  const [row] = rows;
  if (rows.length === 1 && row !== undefined) {
    lines.push(...OF_ONE_LINE.flatMap((word) => cell(table, row, word)));
  } else {
    const pct = measure(node, table, "bound", timeWordOf(table), null).get(node)?.limitPct ?? NaN;
    if (!Number.isNaN(pct)) lines.push(["Roofline(%)", `~${fixed(pct, 1)}`]);
    lines.push(["lines", grouped(String(rows.length))]);
  }
  return { title: title(node), lines };
}

export function changeFacts(node: TreeNode, table: Table, whole: number): Facts {
  const rows = [...rowsBelow(node)];
  const lines: Line[] = [["Time(ms)", `${ms(node.time)}, ${share(node.time, whole)}`]];
  const [row] = rows;
  if (rows.length === 1 && row !== undefined) {
    const words = [
      "change",
      "base_ns",
      "new_ns",
      "diff_ns",
      "diff_pct",
      "beyond_pct",
      "p",
      "detail",
    ];
    const change = table.column("change");
    if (change?.isNull(row)) lines.push([heading(change.info), "cannot be decided"]);
    lines.push(...words.flatMap((word) => cell(table, row, word)));
  } else {
    const { changed, undecided, ops, diffNs } = changesOf(node, table);
    const change = changed ? `, together ${diffNs > 0 ? "+" : ""}${ms(diffNs)} ms` : "";
    lines.push(["changed", `${changed} of ${grouped(String(ops))} ops${change}`]);
    if (undecided > 0) lines.push([UNDECIDED, `${grouped(String(undecided))} ops`]);
  }
  return { title: title(node), lines };
}

/** "Time(ms)", or that in a step. */
function timeHeading(table: Table): string {
  const column = table.column(timeWordOf(table));
  return column ? heading(column.info) : "";
}

const title = (node: TreeNode): string => pathOf(node).join(" › ") || "all";

const share = (time: number, whole: number): string => `${fixed((100 * time) / whole, 1)} %`;

function counted(table: Table, rows: readonly number[], word: string): Line[] {
  const column = table.column(word);
  if (!column) return [];
  const sum = rows.reduce((total, row) => total + (column.number(row) || 0), 0);
  return [[heading(column.info), grouped(String(sum))]];
}

function cell(table: Table, row: number, word: string): Line[] {
  const column = table.column(word);
  return column && !column.isNull(row) ? [[heading(column.info), cellText(column, row)]] : [];
}
