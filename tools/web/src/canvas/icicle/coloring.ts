// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The colors of nodes. A node of several words has the color of the one that takes longest, paler;
// in order by op, layers have none.
import type { Model, Table } from "../../data/model";
import { opColors, type ColorMode } from "../color_key";
import {
  boundColor,
  changeColor,
  directionColor,
  mixed,
  rampColor,
  UNKNOWN_COLOR,
} from "../colors";
import type { LegendEntry } from "../controls";
import { timeWordOf } from "../groups";
import type { Theme } from "../surface";
import { changesOf, measure, UNDECIDED, type Changes } from "./measures";
import type { TreeNode } from "./tree";

export type NodeColoring = (node: TreeNode, theme: Theme) => string;

const WORDS: Record<ColorMode, string> = { op: "op", dir: "dir", bound: "bound", limit: "bound" };
const PALE = 0.55;

export function groupColoring(
  model: Model,
  root: TreeNode,
  table: Table,
  mode: ColorMode,
  meant: Uint8Array | null,
): { colorOf: NodeColoring; legend: readonly LegendEntry[] } {
  const measured = measure(root, table, WORDS[mode], timeWordOf(table), meant);
  const ops = opColors(model);
  const ofWord: Record<ColorMode, (word: string) => string> = {
    op: (word) => ops.get(word) ?? UNKNOWN_COLOR,
    dir: directionColor,
    bound: boundColor,
    limit: () => UNKNOWN_COLOR,
  };
  const colorOf: NodeColoring = (node, theme) => {
    const of = measured.get(node);
    if (!of || !node.parent) return theme.dimmed;
    if (!of.isMeant) return mixed(theme.dimmed, theme.paper, 0.4);
    if (mode === "limit") return rampColor(of.limitPct / 100);
    const color = of.word === null ? UNKNOWN_COLOR : ofWord[mode](of.word);
    if (of.isOnly) return color;
    return mode === "op" ? theme.dimmed : mixed(color, theme.paper, PALE);
  };
  return { colorOf, legend: legendOf(mode, table, ofWord[mode], ops) };
}

function legendOf(
  mode: ColorMode,
  table: Table,
  colorOf: (word: string) => string,
  ops: ReadonlyMap<string, string>,
): LegendEntry[] {
  if (mode === "limit") {
    const ramp = [0, 25, 50, 75, 100].map((pct) => ({
      name: `${pct} % of limit`,
      color: rampColor(pct / 100),
    }));
    return [...ramp, { name: "unknown", color: UNKNOWN_COLOR }];
  }
  const words = table.column(WORDS[mode])?.texts ?? [];
  const ranks = new Map([...ops.keys()].map((name, i) => [name, i]));
  const rank = (word: string) => (mode === "op" ? (ranks.get(word) ?? Infinity) : 0);
  const sorted = [...words].sort((a, b) => rank(a) - rank(b) || 0);
  return sorted.map((name) => ({ name, color: colorOf(name) }));
}

/** A node with changes in it has their color, the stronger the larger they are. */
export function diffColoring(root: TreeNode, table: Table, meant: Uint8Array | null): NodeColoring {
  const measured = measure(root, table, "change", "base_ns", meant);
  const known = new Map<TreeNode, Changes>();
  return (node, theme) => {
    if (!node.parent) return theme.dimmed;
    if (!measured.get(node)?.isMeant) return mixed(theme.dimmed, theme.paper, 0.4);
    let changes = known.get(node);
    if (!changes) known.set(node, (changes = changesOf(node, table)));
    if (changes.changed === 0) {
      const part = changes.undecided / Math.max(1, changes.ops);
      return mixed(changeColor("same"), changeColor(UNDECIDED), part);
    }
    const word = changes.word ?? (changes.diffNs > 0 ? "slower" : "faster");
    const part = Math.min(1, Math.abs(changes.diffNs) / Math.max(1, node.time) / STRONG);
    const isLeaf = node.rows.length > 0 && node.children.length === 0;
    return mixed(changeColor("same"), changeColor(word), isLeaf ? 1 : 0.15 + 0.85 * part);
  };
}

/** A change of a tenth of the time has the full color. */
const STRONG = 0.1;

export function changeLegend(diff: Table): LegendEntry[] {
  const words = ["slower", "faster", "added", "removed", "kernel", "moved", "same"];
  const texts = diff.column("change")?.texts ?? [];
  const shown = words.filter((word) => texts.includes(word));
  const change = diff.column("change");
  const isUndecided = Array.from({ length: diff.rows }, (_, row) => row).some((row) =>
    change?.isNull(row),
  );
  if (isUndecided) shown.push(UNDECIDED);
  return shown.map((name) => ({
    name: name === "kernel" ? "other kernels" : name,
    color: changeColor(name),
  }));
}
