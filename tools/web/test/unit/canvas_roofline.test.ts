// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { bandwidthsOf, memoryNamesOf, peaksOf, pointsOf } from "../../src/canvas/roofline/merge";
import { boxAround, freePlace, limitText, roofText } from "../../src/canvas/roofline/names";
import { discAt, extentOf, radiusOf, rateUnder, roofsOf } from "../../src/canvas/roofline/points";
import { Table } from "../../src/data/model";
import { madeTable } from "../made_document";

const GROUPS = new Table(
  madeTable("groups", [
    { word: "layer", type: "text", cells: ["h.0", "h.1", "h.0", "h.0"] },
    { word: "op", type: "text", cells: ["linear", "linear", "relu", "zero"] },
    { word: "dir", type: "text", cells: ["fprop", "fprop", "fprop", null] },
    { word: "params", type: "text", cells: ["M=1", "M=1", "T=1", "T=1"] },
    { word: "dtype", type: "text", cells: ["float16", "float16", "float16", null] },
    { word: "bound", type: "text", cells: ["compute", "compute", "L2", null] },
    { word: "time_ns", type: "integer", cells: [100, 300, 50, 7] },
    { word: "tflop_per_s", type: "real", cells: [600, 400, 1, null] },
    { word: "intensity", type: "real", cells: [200, 200, 0.25, null] },
    { word: "peak_tflop_per_s", type: "real", cells: [989, 950, 67, null] },
    { word: "peak_gb_per_s", type: "real", cells: [4800, 4800, 9500, null] },
  ]),
);

void test("layers of one op and shape are one point; what has no place is counted", () => {
  const { points, withoutPlace, timeWithoutPlace } = pointsOf(GROUPS);
  assert.deepEqual([withoutPlace, timeWithoutPlace], [1, 7]);
  const [linear, relu] = points;
  assert.deepEqual(linear, { row: 0, rows: [0, 1], time: 400, rate: 450, intensity: 200 });
  assert.deepEqual(relu, { row: 2, rows: [2], time: 50, rate: 1, intensity: 0.25 });
});

const UNNAMED = {
  names: [""],
  units: [],
  kind: "bandwidth",
  low: 1,
  high: 1,
  clocks: null,
  isMean: false,
} as const;

void test("roofs are the limits of the groups; other clocks make no other roof", () => {
  const peaks = roofsOf("peak", peaksOf(GROUPS));
  assert.deepEqual(
    peaks.map(({ names, low, high }) => [names, low, high]),
    [
      [["float16"], 950, 989],
      [["float16"], 67, 67],
    ],
  );
  const memories = memoryNamesOf(roofsOf("bandwidth", bandwidthsOf(GROUPS)));
  assert.deepEqual(
    memories.map(({ names, high }) => [names[0], high]),
    [
      ["L2", 9500],
      ["memory", 4800],
    ],
  );
  assert.equal(rateUnder(memories[1] ?? assert.fail(), 10), 48);
  assert.deepEqual(memoryNamesOf([UNNAMED])[0]?.names, ["memory"]);
});

void test("points and roofs are inside of the picture", () => {
  const { points } = pointsOf(GROUPS);
  const roofs = roofsOf("peak", peaksOf(GROUPS));
  const { x, y } = extentOf(points, roofs);
  assert.ok(x.from < 0.25 && x.to > 200 && y.from < 1 && y.to > 989);
  assert.deepEqual(extentOf([], []).x, { from: 0.1, to: 1000 });
});

void test("areas go by time, and the smallest disc can be pointed at", () => {
  assert.equal(radiusOf(25, 100, 20), 10);
  assert.equal(radiusOf(0, 100, 20), 2);
  const discs = [
    { x: 0, y: 0, radius: 20 },
    { x: 5, y: 0, radius: 3 },
    { x: 40, y: 0, radius: 2 },
  ];
  assert.equal(discAt(discs, 5, 1, 4), 1);
  assert.equal(discAt(discs, -10, 0, 4), 0);
  assert.equal(discAt(discs, 45, 0, 4), 2);
  assert.equal(discAt(discs, 60, 0, 4), -1);
});

const ROOF = { names: ["float16"], units: [], clocks: null, isMean: false } as const;

void test("a roof names its types, its units, and its limits where clocks changed them", () => {
  const roof = { ...ROOF, names: ["", "float16"], kind: "peak", low: 66.91, high: 1070.6 } as const;
  assert.equal(roofText(roof), "float16: 66.9 to 1,071 TFLOP/s");
  const one = { ...ROOF, names: [""], kind: "bandwidth", low: 4800, high: 4800 } as const;
  assert.equal(roofText(one), "unknown type: 4,800 GB/s");
  const tensor = { ...roof, units: ["tensor cores"], clocks: { from: 1200, to: 1980 } } as const;
  assert.equal(
    limitText(tensor),
    "float16, tensor cores: 66.9 to 1,071 TFLOP/s at 1,200 to 1,980 MHz",
  );
});

void test("four peaks of a type are two units at two clocks; means of both are no roof", () => {
  const groups = new Table(
    madeTable("groups", [
      {
        word: "dtype",
        type: "text",
        cells: ["bfloat16", "bfloat16", "bfloat16", "bfloat16", "bfloat16", "float32"],
      },
      { word: "peak_tflop_per_s", type: "real", cells: [1070, 648.5, 67, 40.6, 400, 67] },
      { word: "sm_clock_mhz", type: "integer", cells: [1980, 1200, 1980, 1200, 1980, 1980] },
    ]),
  );
  const gemms = new Table(
    madeTable("gemms", [
      { word: "dtype", type: "text", cells: ["bfloat16", "float32"] },
      { word: "tc", type: "bool", cells: [true, false] },
    ]),
  );
  assert.deepEqual(roofsOf("peak", peaksOf(groups, gemms)).map(limitText), [
    "bfloat16, tensor cores: 649 to 1,070 TFLOP/s at 1,200 to 1,980 MHz",
    "bfloat16, float32, CUDA cores: 40.6 to 67 TFLOP/s at 1,200 to 1,980 MHz",
    "bfloat16: 400 TFLOP/s at 1,980 MHz, the mean of kernels with and without tensor cores " +
      "(not drawn)",
  ]);
  // Without the report gemms nothing says which unit it is.
  assert.ok(roofsOf("peak", peaksOf(GROUPS)).every(({ units }) => units.length === 0));
});

void test("a name takes the first free place, or none", () => {
  const at = (left: number) => ({ box: { left, top: 0, width: 10, height: 10 } });
  const taken = [at(0).box];
  assert.deepEqual(freePlace([at(5), at(10), at(30)], taken), at(10));
  assert.deepEqual(freePlace([at(15), at(30)], taken), at(30));
  assert.equal(freePlace([at(15)], taken), undefined);
  assert.deepEqual(boxAround(50, 20, 40, 10), { left: 30, top: 15, width: 40, height: 10 });
  assert.equal(Math.round(boxAround(0, 0, 40, 10, Math.PI / 2).height), 40);
});
