// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf, measure } from "../../src/canvas/icicle/measures";
import { selectionOf, treeOf } from "../../src/canvas/icicle/orders";
import {
  hit,
  levelsOf,
  makeTree,
  neighbor,
  nodeAt,
  pathOf,
  rowsBelow,
  topInOrder,
  visit,
  type TreeNode,
} from "../../src/canvas/icicle/tree";
import { Table } from "../../src/data/model";
import { madeTable, type Cell } from "../made_document";

const text = (word: string, cells: readonly Cell[]) => ({ word, type: "text" as const, cells });
const int = (word: string, cells: readonly Cell[]) => ({ word, type: "integer" as const, cells });

const GROUPS = new Table(
  madeTable("groups", [
    text("layer", ["h.0:attn", "h.0:mlp", "h.0:mlp", "h.0:mlp", null]),
    text("op", ["bmm", "linear", "linear", "gelu", null]),
    text("kernel", [null, null, null, null, "memset"]),
    text("dir", ["bprop", "fprop", "bprop", "fprop", null]),
    text("params", ["B=4", "M=1", "M=2", null, null]),
    text("bound", ["memory", "compute", "compute", "memory", null]),
    int("time_ns", [30, 40, 80, 10, 5]),
    { word: "roofline_pct", type: "real", cells: [50, 90, 60, null, null] },
  ]),
);

const names = (nodes: readonly TreeNode[]) => nodes.map(({ name }) => name);

void test("directions stand side by side in their order, below them layers by time", () => {
  const root = treeOf(GROUPS, "layer", "time_ns");
  assert.deepEqual(names(root.children), ["fprop", "bprop", "(no direction)"]);
  const bprop = nodeAt(root, ["bprop"]);
  assert.deepEqual([bprop.left, bprop.time], [50, 110]);
  assert.deepEqual(names(nodeAt(root, ["bprop", "h.0"]).children), ["mlp", "attn"]);
  assert.deepEqual(pathOf(nodeAt(root, ["(no direction)", "(no layer)", "memset"])).length, 3);
  assert.equal(levelsOf(root), 6);
});

void test("the second order is op, layer, shape, the longest first", () => {
  const root = treeOf(GROUPS, "op", "time_ns");
  assert.deepEqual(names(root.children), ["linear", "bmm", "gelu", "memset"]);
  const linear = nodeAt(root, ["linear", "h.0:mlp"]);
  assert.deepEqual(names(linear.children), ["M=2", "M=1"]);
  assert.deepEqual([...rowsBelow(linear)], [2, 1]);
});

void test("a place leads to the node that is drawn there", () => {
  const root = treeOf(GROUPS, "layer", "time_ns");
  const seen: TreeNode[] = [];
  visit(root, 0, root.time, 0, (node) => seen.push(node));
  for (const node of seen) {
    assert.equal(hit(root, node.depth, node.left), node);
    assert.equal(hit(root, node.depth, node.left + node.time - 0.5), node);
  }
  assert.equal(hit(root, 1, root.time), null);
  assert.equal(hit(root, 9, 10), null);
});

void test("only what is visible and wide enough is drawn", () => {
  const root = makeTree((add) => {
    for (let i = 0; i < 1000; ++i) add(["top", `leaf ${i}`], i, 1);
  }, topInOrder([]));
  let drawn = 0;
  visit(root, 100, 110, 0.5, () => ++drawn);
  assert.equal(drawn, 12);
  drawn = 0;
  visit(root, 0, 1000, 2, () => ++drawn);
  assert.equal(drawn, 2);
});

void test("arrows move among nodes", () => {
  const root = treeOf(GROUPS, "layer", "time_ns");
  const fprop = nodeAt(root, ["fprop"]);
  assert.equal(neighbor(fprop, "right")?.name, "bprop");
  assert.equal(neighbor(fprop, "left"), null);
  assert.equal(neighbor(fprop, "up"), root);
  assert.equal(neighbor(nodeAt(root, ["bprop", "h.0"]), "down")?.name, "mlp");
  const last = nodeAt(root, ["fprop", "h.0", "mlp", "gelu"]);
  assert.deepEqual(pathOf(neighbor(last, "right") ?? root), ["bprop", "h.0", "mlp", "linear"]);
});

void test("a node selects what its path says", () => {
  const root = treeOf(GROUPS, "layer", "time_ns");
  const selected = (...path: string[]) => selectionOf(GROUPS, nodeAt(root, path), "layer");
  assert.deepEqual(selected(), {});
  assert.deepEqual(selected("bprop"), { dir: "bprop" });
  assert.deepEqual(selected("bprop", "h.0"), { dir: "bprop", layer: "h.0" });
  assert.deepEqual(selected("fprop", "h.0", "mlp", "linear"), {
    dir: "fprop",
    layer: "h.0:mlp",
    op: "linear",
  });
  assert.equal(selected("fprop", "h.0", "mlp", "linear", "M=1").params, "M=1");
  const byOp = treeOf(GROUPS, "op", "time_ns");
  assert.deepEqual(selectionOf(GROUPS, nodeAt(byOp, ["linear", "h.0:mlp"]), "op"), {
    op: "linear",
    layer: "h.0:mlp",
  });
});

void test("a module's path has a level for each of its names", () => {
  const torch = new Table(
    madeTable("groups", [
      text("layer", ["transformer.h.0.mlp", "transformer.h.1.mlp"]),
      text("op", ["addmm", "addmm"]),
      text("dir", ["fprop", "fprop"]),
      int("time_ns", [2, 1]),
    ]),
  );
  const root = treeOf(torch, "layer", "time_ns");
  const block = nodeAt(root, ["fprop", "transformer", "h.0"]);
  assert.equal(block.time, 2);
  assert.deepEqual(selectionOf(torch, block, "layer"), { dir: "fprop", layer: "transformer.h.0" });
});

void test("a node has the word that takes longest, and the mean limit of what is known", () => {
  const root = treeOf(GROUPS, "layer", "time_ns");
  const measured = measure(root, GROUPS, "bound", "time_ns", Uint8Array.of(0, 1, 0, 0, 0));
  const fprop = measured.get(nodeAt(root, ["fprop"]));
  assert.deepEqual(fprop, { isMeant: true, word: "compute", isOnly: false, limitPct: 90 });
  const bprop = measured.get(nodeAt(root, ["bprop"]));
  assert.equal(bprop?.isMeant, false);
  assert.equal(bprop.limitPct, (50 * 30 + 60 * 80) / 110);
  assert.ok(Number.isNaN(measured.get(nodeAt(root, ["(no direction)"]))?.limitPct));
});

void test("changes below a node are those of the report diff", () => {
  const diff = new Table(
    madeTable("diff", [
      text("change", ["period", "slower", "same", "faster", null]),
      text("layer", [null, "a", "a", "b", "b"]),
      text("op", [null, "linear", "bias", "linear", "relu"]),
      text("dir", [null, "fprop", "fprop", "fprop", "fprop"]),
      int("base_ns", [1000, 100, 50, 90, 10]),
      int("new_ns", [1040, 150, 50, 80, 12]),
      int("diff_ns", [40, 50, 0, -10, 2]),
    ]),
  );
  const before = treeOf(diff, "layer", "base_ns");
  const after = treeOf(diff, "layer", "new_ns");
  assert.deepEqual([before.time, after.time], [250, 292]);
  assert.deepEqual(changesOf(nodeAt(before, ["fprop", "a"]), diff), {
    changed: 1,
    undecided: 0,
    ops: 2,
    diffNs: 50,
    word: "slower",
  });
  assert.equal(changesOf(nodeAt(before, ["fprop", "b", "relu"]), diff).changed, 0);
  assert.deepEqual(changesOf(before, diff), {
    changed: 2,
    undecided: 1,
    ops: 4,
    diffNs: 40,
    word: null,
  });
});
