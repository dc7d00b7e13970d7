// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isInLayer, levelEnds, levelsOf } from "../../src/text/layers";

void test("levels are what is between separators; a number belongs to the name before it", () => {
  assert.deepEqual(levelsOf("gpt:h.0.attn"), ["gpt", "h.0", "attn"]);
  assert.deepEqual(levelsOf("h:12:mlp"), ["h:12", "mlp"]);
  assert.deepEqual(levelsOf("h.*.mlp"), ["h.*", "mlp"]);
  assert.deepEqual(levelsOf("0.weight"), ["0", "weight"]);
  assert.deepEqual(levelsOf("x"), ["x"]);
  assert.deepEqual(levelEnds("gpt:h.0.attn"), [3, 7, 12]);
});

void test("stars are whole numbers, whatever a name is made of", () => {
  assert.ok(isInLayer("h.*")("h.12.mlp"));
  assert.ok(isInLayer("h.*")("h.*"));
  assert.ok(!isInLayer("h.*")("h.x"));
  assert.ok(!isInLayer("h.*")("head"));
  const stars = "*1".repeat(20) + "*";
  assert.ok(!isInLayer(stars)("1".repeat(60) + "x"), "and it takes no time");
  assert.ok(!isInLayer("*".repeat(40))("1".repeat(60) + "x"));
});
