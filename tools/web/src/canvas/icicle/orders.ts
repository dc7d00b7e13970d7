// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The orders in which an icicle nests the groups of a table.
import type { Table } from "../../data/model";
import type { Selection } from "../../state/store";
import type { Option } from "../controls";
import { levelEnds, levelsOf } from "../../text/layers";
import { longestFirst, makeTree, pathOf, topInOrder, type TreeNode } from "./tree";

export type OrderName = "layer" | "op";

export const ORDERS: readonly Option[] = [
  { value: "layer", text: "direction, layer, op, shape" },
  { value: "op", text: "op, layer, shape" },
];

export const orderOf = (word: string | undefined): OrderName => (word === "op" ? "op" : "layer");

const NO_LAYER = "(no layer)";
const NO_OP = "(no op)";
const NO_DIRECTION = "(no direction)";
const DIRECTIONS = ["fprop", "bprop", "update", NO_DIRECTION];

/** Lines of the report diff that are about the step, not about an op. */
const OF_THE_STEP: ReadonlySet<string> = new Set(["period", "shift", "waits", "late"]);

/** `time` is the column that widths show; groups without it have none. */
export function treeOf(table: Table, order: OrderName, time: string): TreeNode {
  const times = table.column(time)?.numbers;
  const sorted = order === "layer" ? topInOrder(DIRECTIONS) : longestFirst;
  return makeTree((add) => {
    for (let row = 0; row < table.rows; ++row) {
      const width = times?.[row] ?? NaN;
      if (width > 0 && !OF_THE_STEP.has(table.text("change", row) ?? ""))
        add(namesOf(table, row, order), row, width);
    }
  }, sorted);
}

function namesOf(table: Table, row: number, order: OrderName): string[] {
  const layer = table.text("layer", row);
  const op = table.text("op", row) ?? table.text("kernel", row) ?? NO_OP;
  const params = table.text("params", row);
  const shape = params === null ? [] : [params];
  if (order === "op") return [op, layer ?? NO_LAYER, ...shape];
  const path = layer === null ? [NO_LAYER] : levelsOf(layer);
  return [table.text("dir", row) ?? NO_DIRECTION, ...path, op, ...shape];
}

/** What the node means in other views: what all its groups have in common, as far as the path
 *  says it. */
export function selectionOf(table: Table, node: TreeNode, order: OrderName): Selection {
  if (!node.parent) return {};
  const path = pathOf(node);
  const row = firstRow(node);
  const text = (word: string) => table.text(word, row) ?? undefined;
  const [layer, op, params] = [text("layer"), text("op"), text("params")];
  if (order === "op") {
    return known({ op, layer: path[1] === layer ? layer : undefined, params: path[2] });
  }
  const ends = layer === undefined ? [] : levelEnds(layer);
  const layers = Math.max(1, ends.length);
  const inside = layer?.slice(0, ends[Math.min(path.length - 2, layers - 1)] ?? 0);
  const hasOp = path.length > 1 + layers;
  const isShape = path.length > 2 + layers;
  return known({
    dir: text("dir"),
    layer: inside,
    op: hasOp ? op : undefined,
    params: isShape ? params : undefined,
  });
}

function firstRow(node: TreeNode): number {
  return node.rows[0] ?? (node.children[0] ? firstRow(node.children[0]) : -1);
}

const known = (selection: Record<string, string | undefined>): Selection =>
  Object.fromEntries(Object.entries(selection).filter(([, value]) => value));
