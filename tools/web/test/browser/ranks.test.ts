// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Several ranks: each has a step of its own, and the late one comes first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable } from "../made_document";
import { open, pageOf, texts } from "./harness";

const TIME = { type: "integer", style: "time", unit: "ns" } as const;
const TRACES = ["rank0.db", "rank1.db"];

const summary = madeTable("summary", [
  { word: "trace", type: "text", cells: TRACES },
  { word: "device", type: "integer", cells: [0, 1] },
  { word: "section", type: "text", cells: ["step", "step"] },
  { word: "what", type: "text", cells: ["period", "period"] },
  { word: "time_ns", ...TIME, cells: [1e6, 2e6] },
  { word: "share_pct", type: "real", cells: [100, 100] },
]);

const stragglers = madeTable("stragglers", [
  { word: "who", type: "text", cells: ["rank 1", "rank 0"] },
  { word: "trace", type: "text", cells: ["rank1.db", "rank0.db"] },
  { word: "waited_for_ns", ...TIME, cells: [513_000, 79] },
  { word: "share_pct", type: "real", cells: [15.5, 0] },
  { word: "cause", type: "text", cells: ["host", null] },
  { word: "why", type: "text", cells: ["host idle before linear", "no place stands out"] },
]);

const steps = madeTable("steps", [
  { word: "rank", type: "integer", cells: [0, 0, 1, 1] },
  { word: "device", type: "integer", cells: [0, 0, 1, 1] },
  { word: "step", type: "integer", cells: [1, 2, 1, 2] },
  { word: "period_ns", ...TIME, cells: [1e6, 1e6, 2e6, 2e6] },
]);

const traces = TRACES.map((name, rank) => ({ name, rank, host: "node0", run: null }));
const html = pageOf([madeDocument([summary, steps]), madeDocument([stragglers])].map(withTraces));

function withTraces<Data extends object>(document: Data) {
  return { ...document, traces };
}

void test("the rank for which others wait comes first, others are a choice away", async () => {
  const { page, close } = await open(html);
  const [late = ""] = await texts(page, '[aria-label="Who the others wait for"] li');
  assert.equal(late, "rank 1 0.513 ms, 15.5 % of the step host idle before linear");
  assert.deepEqual(await texts(page, ".tile.main strong"), ["2.00 ms"]);
  await page.select(".gpus select", "rank 0");
  assert.deepEqual(await texts(page, ".tile.main strong"), ["1.00 ms"]);
  assert.equal(await page.evaluate(() => location.hash), "#canvas.overview.gpu=rank+0");
  await close();
});

void test("a strip of steps for each rank", async () => {
  const { page, close } = await open(html, "#view=steps");
  assert.deepEqual(await texts(page, ".card h3"), ["rank 0, GPU 0", "rank 1, GPU 1"]);
  assert.equal((await texts(page, ".strip li")).length, 4);
  await close();
});
