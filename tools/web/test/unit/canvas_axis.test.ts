// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  between,
  clamp,
  decades,
  lengthOf,
  panned,
  roundStep,
  ticks,
  zoomed,
} from "../../src/canvas/axis";

void test("zooming keeps the place under the pointer", () => {
  const span = zoomed({ from: 100, to: 300 }, 0.5, 150);
  assert.deepEqual(span, { from: 125, to: 225 });
  assert.equal((150 - span.from) / lengthOf(span), 0.25);
});

void test("what is visible stays inside of what there is", () => {
  const whole = { from: 0, to: 100 };
  assert.deepEqual(clamp(panned({ from: 80, to: 100 }, 50), whole, 1), { from: 80, to: 100 });
  assert.deepEqual(clamp(panned({ from: 0, to: 20 }, -5), whole, 1), { from: 0, to: 20 });
  assert.deepEqual(clamp({ from: -50, to: 400 }, whole, 1), whole);
  assert.deepEqual(clamp({ from: 50, to: 50.5 }, whole, 10), { from: 45.25, to: 55.25 });
  assert.deepEqual(clamp({ from: 0, to: 1 }, { from: 0, to: 5 }, 10), { from: 0, to: 5 });
});

void test("a glide begins and ends at its spans and shrinks steadily", () => {
  const [a, b] = [
    { from: 0, to: 1000 },
    { from: 500, to: 510 },
  ];
  assert.deepEqual(between(a, b, 0), a);
  assert.ok(Math.abs(between(a, b, 1).from - b.from) < 1e-9);
  assert.ok(Math.abs(lengthOf(between(a, b, 0.5)) - 100) < 1e-9);
  assert.deepEqual(between(a, { from: 10, to: 1010 }, 0.5), { from: 5, to: 1005 });
});

void test("ticks are round, inside, and not closer than asked", () => {
  assert.deepEqual([roundStep(1), roundStep(1.2), roundStep(0.03), roundStep(7)], [1, 2, 0.05, 10]);
  assert.deepEqual(ticks({ from: 3, to: 47 }, 440, 90), [10, 20, 30, 40]);
  assert.deepEqual(ticks({ from: 0, to: 0 }, 440, 90), []);
  assert.deepEqual(decades({ from: 0.1, to: 2000 }), [0.1, 1, 10, 100, 1000]);
});
