// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The head: one line however long command lines are, and texts that are not cut.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable } from "../made_document";
import { int, real, text } from "./canvases";
import { open, pageOf, texts } from "./harness";

const COMMAND = `torchrun --nproc-per-node 4 train.py ${"--a-rather-long-option=value ".repeat(12)}`;
const WARNING =
  "records were dropped because the buffers were full, which makes sums of these steps lower " +
  "bounds: PROF_BUFFERS raises the number of buffers, and a window of fewer steps needs fewer of " +
  "them; the losses below have the counts by kind";
const traces = [0, 1, 2, 3].map((rank) => ({
  name: `rank${rank}.db`,
  rank,
  host: "node0",
  run: null,
  command_line: `${COMMAND}--rank ${rank}`,
  driver: "580.1",
  gpus: [{ name: "NVIDIA H200" }],
}));
const summary = madeTable("summary", [text("section", ["step"]), text("what", ["period"])]);
const PAGE = pageOf([madeDocument([summary], { traces, warnings: [WARNING] })]);

void test("command lines of several traces are behind one line", async () => {
  const { page, close } = await open(PAGE);
  await page.setViewport({ width: 390, height: 844 });
  assert.ok((await page.$eval(".traces", ({ clientHeight }) => clientHeight)) < 30);
  assert.equal(
    (await texts(page, ".traces summary"))[0],
    "4 traces · NVIDIA H200 · driver 580.1 · on node0",
  );
  await page.focus(".traces summary");
  await page.keyboard.press("Enter");
  const lines = await texts(page, ".traces li");
  assert.equal(lines.length, 4);
  assert.ok(lines[3]?.includes(`${COMMAND}--rank 3`), lines[3]);
  const isWithin = await page.$eval(".traces", (one) => one.scrollWidth <= one.clientWidth);
  assert.ok(isWithin);
  await close();
});

void test("the command line of one trace is cut by the width, and unfolds", async () => {
  const html = pageOf([madeDocument([summary], { traces: traces.slice(0, 1) })]);
  const { page, close } = await open(html);
  const height = () => page.$eval(".traces", ({ clientHeight }) => clientHeight);
  assert.ok((await height()) < 30);
  await page.click(".traces summary");
  assert.ok((await height()) > 50);
  await close();
});

void test("a warning is told whole, and wraps", async () => {
  const { page, close } = await open(PAGE);
  await page.setViewport({ width: 390, height: 844 });
  const [said = ""] = await texts(page, ".warnings");
  assert.ok(said.endsWith(WARNING), said);
  const isWithin = await page.$eval(".warnings", (one) => one.scrollWidth <= one.clientWidth);
  assert.ok(isWithin);
  await close();
});

void test("roofline: limits say what they are of", async () => {
  const groups = madeTable("groups", [
    text("op", ["linear", "linear", "gelu", "gelu"]),
    text("dtype", ["bfloat16", "bfloat16", "bfloat16", "bfloat16"]),
    text("bound", ["compute", "compute", "memory", "memory"]),
    int("time_ns", [100, 100, 100, 100]),
    int("sm_clock_mhz", [1980, 1200, 1980, 1200]),
    real("tflop_per_s", [600, 400, 10, 10]),
    real("intensity", [400, 400, 1, 1]),
    real("peak_tflop_per_s", [1070, 648, 67, 40.6]),
    real("peak_gb_per_s", [4800, 4800, 4800, 4800]),
  ]);
  const gemms = madeTable("gemms", [
    text("dtype", ["bfloat16"]),
    { word: "tc", type: "bool", cells: [true] },
  ]);
  const { page, close } = await open(
    pageOf([madeDocument([summary]), madeDocument([groups, gemms])]),
    "#view=roofline",
  );
  await page.waitForSelector(".canvas-limits li");
  assert.deepEqual(await texts(page, ".canvas-limits li"), [
    "bfloat16, tensor cores: 648 to 1,070 TFLOP/s at 1,200 to 1,980 MHz",
    "bfloat16, CUDA cores: 40.6 to 67 TFLOP/s at 1,200 to 1,980 MHz",
    "memory: 4,800 GB/s",
  ]);
  await close();
});
