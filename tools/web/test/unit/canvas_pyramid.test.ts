// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { byStart, nested, packed } from "../../src/canvas/timeline/lanes";
import { Keys, partition } from "../../src/canvas/timeline/partition";
import { PixelRow } from "../../src/canvas/timeline/pixels";
import { DIMMED, Pyramid } from "../../src/canvas/timeline/pyramid";

/** Marks of 5 every 10, in the colors 1, 2, 3, 1, 2, 3, ... */
function comb(count: number): Pyramid {
  const start = Float64Array.from({ length: count }, (_, i) => 10 * i);
  const pyramid = new Pyramid(
    start,
    start.map((at) => at + 5),
  );
  pyramid.recolor(
    Uint32Array.from({ length: count }, (_, i) => i),
    Uint16Array.from({ length: count }, (_, i) => 1 + (i % 3)),
  );
  return pyramid;
}

interface Seen {
  marks: number[];
  blocks: { start: number; end: number; busy: number; color: number }[];
}

function walk(pyramid: Pyramid, from: number, to: number, nsPerPixel: number): Seen {
  const seen: Seen = { marks: [], blocks: [] };
  pyramid.walk(from, to, nsPerPixel, {
    mark: (index) => seen.marks.push(index),
    block: (start, end, busy, color) => seen.blocks.push({ start, end, busy, color }),
  });
  return seen;
}

void test("close up, each visible mark is seen by itself", () => {
  assert.deepEqual(walk(comb(10_000), 500, 530, 0.1), { marks: [50, 51, 52], blocks: [] });
});

void test("from afar, blocks have all the time, and their number follows the screen", () => {
  const pyramid = comb(100_000);
  const { marks, blocks } = walk(pyramid, 0, 1_000_000, 1000);
  assert.equal(marks.length, 0);
  assert.equal(
    blocks.reduce((sum, { busy }) => sum + busy, 0),
    500_000,
  );
  assert.ok(blocks.every(({ start, end }) => end - start < 1000));
  assert.ok(blocks.length < 8 * 1000, `${blocks.length} blocks for 1,000 pixels`);
});

void test("nothing of no length is lost, and nothing outside is seen", () => {
  const pyramid = new Pyramid(Float64Array.of(5, 20), Float64Array.of(5, 30));
  assert.equal(walk(pyramid, 0, 10, 1).blocks.length, 1);
  assert.deepEqual(walk(pyramid, 6, 20, 1), { marks: [], blocks: [] });
  assert.deepEqual(walk(new Pyramid(new Float64Array(), new Float64Array()), 0, 1, 1).blocks, []);
});

void test("a block has the color that takes longest; dimmed ones only among themselves", () => {
  const start = Float64Array.from({ length: 8 }, (_, i) => i);
  const pyramid = new Pyramid(
    start,
    start.map((at, i) => at + (i === 3 ? 0.9 : 0.1)),
  );
  const rows = Uint32Array.from(start);
  pyramid.recolor(rows, Uint16Array.of(1, 1, 1, 2, 1, 1, 1, 1));
  assert.equal(walk(pyramid, 0, 8, 100).blocks[0]?.color, 2);
  pyramid.recolor(rows, Uint16Array.of(0, 0, 0, 0, 7, 0, 0, 0));
  assert.equal(walk(pyramid, 0, 8, 100).blocks[0]?.color, 7);
  pyramid.recolor(rows, new Uint16Array(8));
  assert.equal(walk(pyramid, 0, 8, 100).blocks[0]?.color, DIMMED);
});

void test("a place leads to the mark there, or to the nearest one", () => {
  const pyramid = comb(100);
  assert.equal(pyramid.find(502, 0), 50);
  assert.equal(pyramid.find(507, 0), -1);
  assert.equal(pyramid.find(507, 2), 50);
  assert.equal(pyramid.find(509, 2), 51);
  assert.equal(pyramid.find(-1, 2), 0);
  assert.equal(pyramid.find(99_999, 2), -1);
  assert.deepEqual(pyramid.whole, { from: 0, to: 995 });
});

void test("marks that run together have lanes of their own", () => {
  const start = Float64Array.of(0, 5, 6, 10);
  const end = Float64Array.of(10, 8, 7, 12);
  const rows = Uint32Array.of(0, 1, 2, 3);
  assert.deepEqual(
    packed(rows, start, end).map((lane) => [...lane]),
    [[0, 3], [1], [2]],
  );
});

void test("ranges have the lane of their depth", () => {
  const start = Float64Array.of(0, 1, 2, 20, 21);
  const end = Float64Array.of(10, 9, 3, 30, 22);
  const lanes = nested(Uint32Array.of(0, 1, 2, 3, 4), start, end);
  assert.deepEqual(
    lanes.map((lane) => [...lane]),
    [[0, 3], [1, 4], [2]],
  );
});

void test("rows are sorted by start, of equal starts the longest first", () => {
  const start = Float64Array.of(3, 1, 1);
  const end = Float64Array.of(4, 2, 9);
  assert.deepEqual([...byStart(Uint32Array.of(0, 1, 2), start, end)], [2, 1, 0]);
});

void test("a partition keeps order and leaves out what has no key", () => {
  const keys = new Keys();
  const parts = partition(5, (row) => (row === 2 ? NaN : keys.of(row % 2, 7)));
  assert.deepEqual(
    [...parts].map(([key, rows]) => [keys.partsOf(key), [...rows]]),
    [
      [
        [0, 7],
        [0, 4],
      ],
      [
        [1, 7],
        [1, 3],
      ],
    ],
  );
});

void test("pixels add up what shares them, and are empty when used again", () => {
  const row = new PixelRow();
  const runs = () => {
    const seen: number[][] = [];
    row.runs((x, width, color, shade) => seen.push([x, width, color, shade]));
    return seen;
  };
  row.reset(10);
  row.add(1, 3, 1, 4, 10);
  row.add(6.25, 6.5, 1, 5, 10);
  row.add(6.5, 7, 1, 6, 10);
  assert.deepEqual(runs(), [
    [1, 2, 4, 1],
    [6, 1, 6, 0.75],
  ]);
  row.reset(10);
  assert.deepEqual(runs(), []);
  row.add(5, 5, 0, 3, 10);
  assert.deepEqual(runs(), [[5, 1, 3, 0.125]]);
});
