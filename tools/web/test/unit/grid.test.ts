// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Table } from "../../src/data/model";
import { chosenRows } from "../../src/grid/conditions";
import { toCsv } from "../../src/grid/csv";
import { gridColumn, gridOf, joinedGrid, shownText, type Grid } from "../../src/grid/grid";
import { orderedRows } from "../../src/grid/order";
import { isInLayer } from "../../src/text/layers";
import { madeTable, type Cell } from "../made_document";

function tableOf(layers: Cell[], times: Cell[], name = "groups") {
  return new Table(
    madeTable(name, [
      { word: "layer", type: "text", cells: layers },
      { word: "time_ns", type: "integer", style: "time", unit: "ns", cells: times },
      { word: "step", type: "integer", cells: times.map((_, row) => row % 2) },
    ]),
  );
}

const WORDS = ["layer", "time_ns"];
const NOTHING = { selection: {}, step: null, search: "" };

function chosen(grid: Grid, state: object, conditions = {}): number[] {
  return [...chosenRows(grid, { ...NOTHING, ...state }, conditions)];
}

const grid = gridOf(
  tableOf(["h.0:attn", "h.10", "head", null, "h.0"], [3e6, 1e6, null, 2e6, 500_000]),
  WORDS,
);

void test("a layer stands for what is inside it", () => {
  assert.deepEqual(chosen(grid, { selection: { layer: "h.0" } }), [0, 4]);
  assert.deepEqual(chosen(grid, { selection: { layer: "h.*" } }), [0, 1, 4]);
  assert.deepEqual(chosen(grid, { selection: { op: "linear" } }), [0, 1, 2, 3, 4]);
  assert.ok(isInLayer("a.b")("a.b.c") && !isInLayer("a.b")("axb"));
});

void test("conditions count in the heading's unit", () => {
  assert.deepEqual(chosen(grid, {}, { time_ns: ">1" }), [0, 3]);
  assert.deepEqual(chosen(grid, {}, { time_ns: "0.5..1" }), [1, 4]);
  assert.deepEqual(chosen(grid, {}, { time_ns: "-" }), [2]);
  assert.deepEqual(chosen(grid, {}, { layer: "HEAD" }), [2]);
  assert.deepEqual(chosen(grid, {}, { layer: "*" }), [0, 1, 2, 4]);
  assert.deepEqual(chosen(grid, { step: 1 }), [1, 3]);
  assert.deepEqual(chosen(grid, { search: "attn" }), [0]);
});

void test("absent cells come last, whichever way", () => {
  const rows = Uint32Array.from([0, 1, 2, 3, 4]);
  assert.deepEqual([...orderedRows(grid, rows, "-time_ns")], [0, 3, 1, 4, 2]);
  assert.deepEqual([...orderedRows(grid, rows, "time_ns")], [4, 1, 3, 0, 2]);
  assert.deepEqual([...orderedRows(grid, rows, "layer")], [4, 0, 1, 2, 3]);
  assert.deepEqual([...orderedRows(grid, rows, "no such column")], [0, 1, 2, 3, 4]);
});

void test("order is that of a comparison sort, and stable", () => {
  const times = Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 1000) - 500 + (i % 3) / 4);
  const made = new Table(madeTable("made", [{ word: "x", type: "real", cells: times }]));
  const rows = Uint32Array.from(times.keys());
  const sorted = [...times.keys()].sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  assert.deepEqual([...orderedRows(gridOf(made, ["x"]), rows, "x")], sorted);
});

void test("csv has words, all digits, and quotes where needed", () => {
  const table = tableOf(['a,"b"', null], [1500, null]);
  assert.equal(
    toCsv(gridOf(table, WORDS).columns.slice(0, 2), Uint32Array.of(1, 0)),
    'layer,time_ns\n,\n"a,""b""",1500\n',
  );
});

void test("both sides beside each other", () => {
  const base = tableOf(["a", "gone", "a"], [1e6, 2e6, 3e6]);
  const fresh = tableOf(["new", "a", "a"], [4e6, 5e6, 6e6]);
  const joined = joinedGrid(base, fresh, ["layer"], WORDS);
  const words = ["layer", "time_ns:base", "time_ns:new"];
  assert.deepEqual(joined.shown, words);
  const texts = Array.from({ length: joined.rows }, (_, row) =>
    words.map((word) => {
      const column = gridColumn(joined, word);
      return column && shownText(column, row);
    }),
  );
  assert.deepEqual(texts, [
    ["new", "-", "4.00"],
    ["a", "1.00", "5.00"],
    ["a", "3.00", "6.00"],
    ["gone", "2.00", "-"],
  ]);
  const rows = chosenRows(joined, { ...NOTHING, selection: { layer: "gone" } }, {});
  assert.deepEqual([...rows], [3]);
});
