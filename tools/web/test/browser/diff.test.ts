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

const SENTENCE = "The step takes 100 % longer: 1.00 → 2.00 ms. Most of it: linear in h.0.";

function diff() {
  return madeTable("diff", [
    { word: "change", type: "text", cells: ["period", "shift", "slower", "added", "same", null] },
    { word: "layer", type: "text", cells: [null, null, "h.0", "h.1", "h.1", "h.2"] },
    { word: "op", type: "text", cells: [null, null, "linear", "gelu", "linear", "copy"] },
    { word: "base_ns", ...TIME, cells: [1e6, null, 1e5, null, 1e5, 1e4] },
    { word: "new_ns", ...TIME, cells: [2e6, null, 3e5, 1e5, 1e5, 2e4] },
    { word: "diff_ns", ...TIME, cells: [1e6, null, 2e5, 1e5, 0, 1e4] },
    { word: "diff_pct", type: "real", cells: [100, 2, 200, null, 0, 100] },
    {
      word: "detail",
      type: "text",
      cells: ["slower, 20 steps", "median of 5 ops", null, null, null, null],
    },
    { word: "sentence", type: "text", cells: [SENTENCE, null, null, null, null, null] },
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
  madeDocument([diff()], {
    notes: ["diff: 3 ops compared"],
    warnings: ["diff: the sides ran on different GPUs: A before, B after", "odd"],
  }),
  madeDocument([...sideTables("base", [1e5, 5e5]), ...sideTables("new", [3e5, 6e5])]),
]);

void test("the verdict comes first", async () => {
  const { page, close } = await open(html);
  const [verdict = ""] = await texts(page, ".verdict");
  assert.deepEqual(await texts(page, ".verdict .warnings"), [
    "diff: the sides ran on different GPUs: A before, B after",
  ]);
  assert.deepEqual(await texts(page, ".verdict h2"), [SENTENCE]);
  assert.match(verdict, /period 1\.00 to 2\.00 ms \(\+100\.0 %\) slower, 20 steps/);
  assert.match(verdict, /shift \+2\.0 % median of 5 ops \(what all ops have in common/);
  assert.match(verdict, /1 slower1 addedand 1 undecided/);
  assert.match(verdict, /slower linear, in h\.0 0\.100 to 0\.300 ms \(\+200\.0 %\)/);
  assert.match(verdict, /added gelu, in h\.1 0\.100 ms/);
  assert.match(verdict, /3 ops compared/);
  assert.deepEqual(await texts(page, ".tile.main strong"), ["1.00 ms", "2.00 ms"]);
  await click(page, ".verdict button", "1 slower");
  assert.deepEqual((await tableRows(page, "diff")).map(([change]) => change), ["slower"]);
  await close();
});

void test("what cannot be decided is not the same", async () => {
  const ranks = madeTable("diff", [
    {
      word: "gpu",
      type: "text",
      cells: [...Array<string>(3).fill("rank 0, GPU 0"), ...Array<string>(3).fill("rank 1, GPU 0")],
    },
    { word: "change", type: "text", cells: ["period", "late", null, "period", "late", "same"] },
    { word: "layer", type: "text", cells: [null, null, "h.0", null, null, "h.0"] },
    { word: "op", type: "text", cells: [null, null, "copy", null, null, "copy"] },
    { word: "dir", type: "text", cells: [null, null, "fprop", null, null, "fprop"] },
    { word: "base_ns", ...TIME, cells: [1e6, 0, 1e5, 1e6, 0, 1e5] },
    { word: "new_ns", ...TIME, cells: [1.2e6, 32, 2e5, 1.2e6, 2e5, 1e5] },
    { word: "diff_ns", ...TIME, cells: [2e5, 32, 1e5, 2e5, 2e5, 0] },
    { word: "why", type: "text", cells: [null, null, null, null, "host idle", null] },
  ]);
  const ofRanks = pageOf([madeDocument([ranks, ...sideTables("new", [1])])]);
  const { page, close } = await open(ofRanks);
  const [verdict = ""] = await texts(page, ".verdict");
  assert.match(verdict, /No op is proved to have changed; of 1 op that differs it cannot be decided/);
  assert.match(verdict, /undecided copy, in h\.0, fprop, on rank 0, GPU 0 0\.100 to 0\.200 ms/);
  assert.doesNotMatch(verdict, /late of rank 0/, "nobody waits for it");
  assert.match(verdict, /late of rank 1, GPU 0 0 to 0\.200 ms host idle/);
  await close();
  const icicle = await open(ofRanks, "#view=icicle");
  assert.deepEqual(await texts(icicle.page, ".canvas-legend li"), ["same", "undecided"]);
  await icicle.close();
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
