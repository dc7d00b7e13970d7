// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { causeKey, colorKey, dimmed } from "../../src/canvas/color_key";
import { matches } from "../../src/canvas/matches";
import { busyGpus } from "../../src/canvas/timeline/busy";
import { arrange, filledTracks, foldAt, markAt, spotOf } from "../../src/canvas/timeline/layout";
import { arrowsTo, rankLinks } from "../../src/canvas/timeline/links";
import { makeScene } from "../../src/canvas/timeline/scene";
import { hitOf, selectionOf, toMarkWord } from "../../src/canvas/timeline/selecting";
import { stepMarks, stepSpan, typicalStep } from "../../src/canvas/timeline/steps";
import { Table } from "../../src/data/model";
import { madeTable, type Cell } from "../made_document";

const text = (word: string, cells: readonly Cell[]) => ({ word, type: "text" as const, cells });
const int = (word: string, cells: readonly Cell[]) => ({ word, type: "integer" as const, cells });

/** Two streams; the last two kernels are of one graph launch and run together. */
const WORK = new Table(
  madeTable("work", [
    text("op", ["linear", "relu", "linear", "adamw"]),
    text("kernel", ["gemm", "relu", "gemm", "adamw"]),
    text("layer", ["h.0:mlp", "h.0:mlp:act", "h.1", null]),
    text("dir", ["fprop", "fprop", "bprop", "update"]),
    int("device", [0, 0, 0, 0]),
    int("stream", [7, 13, 7, 7]),
    int("thread", [1, 1, 2, 2]),
    int("step", [1, 1, 2, 2]),
    int("start_ns", [1000, 1500, 3000, 3050]),
    int("time_ns", [400, 100, 200, 50]),
    int("launch_ns", [900, 950, 2000, 2000]),
    int("launch_time_ns", [20, 20, 30, 30]),
    { word: "roofline_pct", type: "real", cells: [100, null, 0, 51] },
  ]),
);

const RANGES = new Table(
  madeTable("ranges", [
    text("text", ["step", "fwd", "never closed"]),
    int("thread", [1, 1, 2]),
    int("start_ns", [800, 850, 2500]),
    int("time_ns", [2000, 500, null]),
  ]),
);

const IDLE = new Table(
  madeTable("idle", [
    text("cause", ["launch", "python"]),
    int("device", [0, 0]),
    int("start_ns", [1400, 1600]),
    int("time_ns", [100, 1400]),
  ]),
);

const SCENE = makeScene({ work: WORK, ranges: RANGES, gaps: IDLE });
const LAYOUT = arrange(SCENE);

void test("GPUs stand above threads, each with its tracks in order", () => {
  const lines = LAYOUT.tracks.map(({ name, track }) => [name, track.lanes.length]);
  assert.deepEqual(lines, [
    ["idle, by cause", 1],
    ["stream 7", 2],
    ["stream 13", 1],
    ["launches, thread 1", 1],
    ["NVTX ranges, thread 1", 2],
    ["launches, thread 2", 1],
    ["NVTX ranges, thread 2", 1],
  ]);
  assert.deepEqual(
    LAYOUT.headings.map((heading) => heading.text),
    ["GPU 0", "CPU"],
  );
});

void test("a graph's launch is one mark; an open range lasts to the end", () => {
  const calls = SCENE.tracks.filter(({ kind }) => kind === "calls");
  assert.deepEqual(
    calls.map(({ lanes }) => lanes[0]?.pyramid.length),
    [2, 1],
  );
  const open = SCENE.tracks.find(({ kind, place }) => kind === "ranges" && place.thread === 2);
  assert.equal(open?.lanes[0]?.pyramid.end(0), 2800);
  assert.deepEqual(SCENE.whole, { from: 800, to: 3200 });
});

void test("several traces stand beneath one another, in the order of their ranks", () => {
  const ranks = new Table(
    madeTable("work", [
      text("trace", ["b.db", "a.db"]),
      int("rank", [1, 0]),
      int("device", [0, 0]),
      int("stream", [7, 7]),
      int("start_ns", [0, 0]),
      int("time_ns", [5, 5]),
    ]),
  );
  const { headings } = arrange(makeScene({ work: ranks }));
  assert.deepEqual(
    headings.map((heading) => heading.text),
    ["rank 0, GPU 0", "rank 1, GPU 0"],
  );
});

void test("a place leads to the mark there, and its word back to it", () => {
  const stream = LAYOUT.tracks.find(({ name }) => name === "stream 7") ?? assert.fail();
  const hit = markAt(LAYOUT, stream.lanesTop + 2, 1200, 0);
  assert.equal(hit?.row, 0);
  assert.equal(markAt(LAYOUT, stream.lanesTop + stream.laneHeight + 2, 3060, 0)?.row, 3);
  assert.equal(markAt(LAYOUT, stream.lanesTop + 2, 2000, 10), null);
  assert.equal(markAt(LAYOUT, 0, 1200, 0), null);
  assert.deepEqual(hitOf(SCENE, toMarkWord(hit)), hit);
  assert.equal(hitOf(SCENE, "work.99"), null);
  assert.equal(hitOf(SCENE, "work."), null);
  assert.equal(hitOf(SCENE, undefined), null);
  assert.deepEqual(selectionOf(hit), { layer: "h.0:mlp", op: "linear", dir: "fprop" });
});

void test("an arrow leads from the launch to the kernel", () => {
  const spot = spotOf(LAYOUT, "calls", ({ thread }) => thread === 2, 2000);
  assert.ok(spot);
  const track = SCENE.tracks.find(({ kind }) => kind === "work") ?? assert.fail();
  const marks = [{ track, row: 2, x: 0, width: 9, top: 70, height: 18 }];
  const fromY = spot.top;
  const span = { from: 0, to: 4000 };
  assert.deepEqual(arrowsTo(marks, [], LAYOUT, span, 400), [
    { fromX: 200, fromY, toX: 300, toY: 88 },
  ]);
  // Too many arrows cover what they explain: only that to what is pointed at is left.
  const many = Array.from({ length: 1000 }, () => marks).flat();
  assert.deepEqual(arrowsTo(many, [null], LAYOUT, span, 400), []);
  const stream = LAYOUT.tracks.find(({ name }) => name === "stream 7") ?? assert.fail();
  const hit = markAt(LAYOUT, stream.lanesTop + 2, 3010, 0);
  assert.deepEqual(arrowsTo(many, [hit, null], LAYOUT, span, 400), [
    { fromX: 200, fromY, toX: 300, toY: stream.lanesTop + stream.laneHeight - 1 },
  ]);
});

void test("rows without a mark in the span are behind a line that unfolds them", () => {
  const span = { from: 2400, to: 4000 };
  const filled = filledTracks(SCENE, span);
  const folded = arrange(SCENE, { threads: true, filled, empty: false });
  assert.deepEqual(
    folded.tracks.map(({ name }) => name),
    ["idle, by cause", "stream 7", "NVTX ranges, thread 1", "NVTX ranges, thread 2"],
  );
  assert.deepEqual(
    folded.folds.map(({ text }) => text),
    ["▸ 1 empty stream", "▸ 2 empty rows"],
  );
  const [fold] = folded.folds;
  assert.equal(foldAt(folded, (fold?.top ?? NaN) + 1), fold);
  assert.equal(foldAt(folded, (fold?.bottom ?? NaN) + 1), undefined);
  const stream = folded.tracks.find(({ name }) => name === "stream 7") ?? assert.fail();
  assert.ok(fold && stream.bottom < fold.top && folded.height < LAYOUT.height);
  const open = arrange(SCENE, { threads: true, filled, empty: true });
  assert.equal(open.tracks.length, LAYOUT.tracks.length);
  assert.equal(open.folds[0]?.text, "▾ 1 empty stream");
});

void test("a GPU is busy while any stream works, and not twice while several do", () => {
  const busy = (from: number, to: number) => busyGpus(SCENE, { from, to });
  assert.deepEqual(busy(1000, 1600), [{ name: "GPU 0", busy: 500 }]);
  // Both kernels of the graph run from 3050 to 3100, and the span cuts the longer one.
  assert.deepEqual(busy(2500, 3150), [{ name: "GPU 0", busy: 150 }]);
  assert.deepEqual(busy(1100, 1200), [{ name: "GPU 0", busy: 100 }]);
  assert.deepEqual(busy(2000, 2500), [{ name: "GPU 0", busy: 0 }]);
});

void test("a collective is linked on the ranks that have it", () => {
  const places = [
    text("trace", ["a.db", "a.db", "b.db", "b.db"]),
    int("rank", [0, 0, 1, 1]),
    int("device", [0, 0, 1, 1]),
    int("stream", [7, 7, 9, 9]),
    int("start_ns", [10, 50, 20, 60]),
    int("time_ns", [20, 5, 10, 5]),
  ];
  const layout = arrange(makeScene({ work: new Table(madeTable("work", places)) }));
  const links = rankLinks(
    new Table(madeTable("links", [...places, int("collective", [2, 1, 2, 3])])),
    layout,
  );
  assert.deepEqual(
    links.map((link) => link.map(({ placed, mark }) => [placed.track.place.rank, mark])),
    [
      [
        [0, 0],
        [1, 0],
      ],
    ],
  );
});

void test("a step lasts from its first launch to the end of its period", () => {
  assert.deepEqual(stepSpan(undefined, SCENE, 1), { from: 900, to: 1600 });
  const steps = new Table(
    madeTable("steps", [
      int("step", [1, 2]),
      int("start_ns", [1000, 3000]),
      int("period_ns", [2000, null]),
    ]),
  );
  assert.deepEqual(stepSpan(steps, SCENE, 1), { from: 900, to: 3000 });
  assert.equal(stepSpan(steps, SCENE, 7), null);
});

void test("a selection means rows: a layer with what is inside, a search any name", () => {
  assert.equal(matches(WORK, {}, ""), null);
  assert.equal(matches(IDLE, { op: "linear" }, ""), null);
  assert.deepEqual([...(matches(WORK, { layer: "h.0:mlp" }, "") ?? [])], [1, 1, 0, 0]);
  assert.deepEqual([...(matches(WORK, { op: "linear", stream: "7" }, "") ?? [])], [1, 0, 1, 0]);
  assert.deepEqual([...(matches(WORK, {}, "RELU") ?? [])], [0, 1, 0, 0]);
  assert.deepEqual([...(matches(WORK, { layer: "h.0:ml" }, "") ?? [])], [0, 0, 0, 0]);
});

void test("colors are by word or by limit, and the first one is for what is not meant", () => {
  const ops = new Map([["linear", "#0072b2"]]);
  const key = colorKey(WORK, "op", ops);
  assert.equal(key.palette[key.index[0] ?? 0], "#0072b2");
  assert.equal(key.palette[key.index[1] ?? 0], key.palette[1]);
  assert.equal(key.legend[0]?.name, "linear");
  assert.deepEqual([...dimmed(key, Uint8Array.of(1, 0, 1, 0))].map(Boolean), [
    true,
    false,
    true,
    false,
  ]);
  const limit = colorKey(WORK, "limit", ops);
  assert.deepEqual([...limit.index], [21, 1, 2, 12]);
  assert.equal(limit.palette.length, 22);
});

void test("the step to begin with: the advice's, or the usual one nearest to the median", () => {
  const steps = new Table(
    madeTable("steps", [
      int("step", [0, 1, 2, 3]),
      int("start_ns", [10, 20, 30, 40]),
      { word: "from_median_pct", type: "real", cells: [0, 5, -1, 3] },
      text("unusual", ["warm-up", null, null, null]),
    ]),
  );
  const advice = new Table(madeTable("advice", [text("show", ["prof-report -r gpu --step 3 x"])]));
  assert.equal(typicalStep(steps, advice), 3);
  assert.equal(typicalStep(steps, undefined), 2);
  assert.equal(typicalStep(undefined, undefined), null);
  assert.deepEqual(stepMarks(steps)[1], { step: 1, start: 20 });
});

void test("causes of idle time are in the order of the report gaps", () => {
  const causes = (name: string, words: readonly Cell[]) =>
    new Table(madeTable(name, [text("cause", words)]));
  const idle = causes("idle", ["load", "python", "launch", "launch"]);
  const names = (gaps: Table | undefined) => causeKey(idle, gaps).legend.map(({ name }) => name);
  assert.deepEqual(names(causes("gaps", ["launch", "python"])), ["launch", "python", "load"]);
  assert.deepEqual(names(undefined), ["load", "python", "launch"]);
});
