// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Two captures: the verdict first, then both sides beside each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Side } from "../../src/data/document";
import { madeDocument, madeTable } from "../made_document";
import { click, open, pageOf, tableRows, texts } from "./harness";

const TIME = { type: "integer", style: "time", unit: "ns" } as const;

function diff() {
  return madeTable("diff", [
    { word: "change", type: "text", cells: ["period", "shift", "slower", "added", "same"] },
    { word: "layer", type: "text", cells: [null, null, "h.0", "h.1", "h.1"] },
    { word: "op", type: "text", cells: [null, null, "linear", "gelu", "linear"] },
    { word: "base_ns", ...TIME, cells: [1e6, null, 1e5, null, 1e5] },
    { word: "new_ns", ...TIME, cells: [2e6, null, 3e5, 1e5, 1e5] },
    { word: "diff_ns", ...TIME, cells: [1e6, null, 2e5, 1e5, 0] },
    { word: "diff_pct", type: "real", cells: [100, 2, 200, null, 0] },
    { word: "detail", type: "text", cells: ["20 steps", "median of 5 ops", null, null, null] },
  ]);
}

function sideTables(side: Side, times: readonly number[]) {
  return [
    madeTable(
      "summary",
      [
        { word: "section", type: "text", cells: ["step"] },
        { word: "what", type: "text", cells: ["period"] },
        { word: "time_ns", ...TIME, cells: [side === "base" ? 1e6 : 2e6] },
        { word: "share_pct", type: "real", cells: [100] },
      ],
      { side },
    ),
    madeTable(
      "groups",
      [
        { word: "layer", type: "text", cells: ["h.0", side === "base" ? "gone" : "new"] },
        { word: "time_ns", ...TIME, cells: times },
      ],
      { side },
    ),
    madeTable("work", [{ word: "time_ns", ...TIME, cells: times }], { side }),
  ];
}

const html = pageOf([
  madeDocument([diff()], { notes: ["diff: 3 ops compared"] }),
  madeDocument([...sideTables("base", [1e5, 5e5]), ...sideTables("new", [3e5, 6e5])]),
]);

void test("the verdict comes first", async () => {
  const { page, close } = await open(html);
  const [verdict = ""] = await texts(page, ".verdict");
  const step = "The step took 1.00 ms before and 2.00 ms after (+100.0 %, 20 steps).";
  const ops = "Beyond chance, 1 op is slower and 0 faster. The largest change: slower linear";
  assert.equal((await texts(page, ".sentence"))[0]?.startsWith(`${step} ${ops}`), true, verdict);
  assert.match(verdict, /shift 2\.0 % median of 5 ops \(what all ops have in common/);
  assert.match(verdict, /1 slower1 added/);
  assert.match(verdict, /slower linear, in h\.0 0\.100 to 0\.300 ms \(200\.0 %\)/);
  assert.match(verdict, /3 ops compared/);
  assert.deepEqual(await texts(page, ".tile.main strong"), ["1.00 ms", "2.00 ms"]);
  await click(page, ".verdict button", "1 slower");
  assert.deepEqual((await tableRows(page, "diff")).map(([change]) => change), ["slower"]);
  await close();
});

void test("groups of both sides, kernels of one", async () => {
  const { page, close } = await open(html, "#view=icicle");
  assert.deepEqual(await tableRows(page, "groups"), [
    ["h.0", "0.100", "0.300"],
    ["new", "-", "0.600"],
    ["gone", "0.500", "-"],
  ]);
  await click(page, "nav a", "Kernels");
  assert.deepEqual(await tableRows(page, "work"), [["0.300"], ["0.600"]]);
  await click(page, ".sides input[type=radio]", "");
  assert.deepEqual(await tableRows(page, "work"), [["0.100"], ["0.500"]]);
  await close();
});
