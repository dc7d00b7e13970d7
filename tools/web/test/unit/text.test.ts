// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  estimate,
  fixed,
  grouped,
  instant,
  ms,
  real,
  scaledTime,
  timeDigits,
} from "../../src/text/numbers";
import { printable, shortened } from "../../src/text/safe";
import { withShortLists } from "../../src/text/tensor_lists";

function all<T>(print: (value: T) => string, expected: readonly (readonly [T, string])[]): void {
  assert.deepEqual(
    expected.map(([value]) => print(value)),
    expected.map(([, text]) => text),
  );
}

// The same cases as in tests/unit/tools/report/table, where the reports' own writers are tested.
void test("milliseconds have three digits", () => {
  all(ms, [
    [0, "0"],
    [0.4, "0"],
    [1, "0.000001"],
    [2300, "0.00230"],
    [725_000, "0.725"],
    [9_996_000, "10.0"],
    [39_100_000, "39.1"],
    [999_600_000, "1,000"],
    [6_688_000_000, "6,688"],
    [-24_500, "-0.0245"],
  ]);
});

void test("estimates have two", () => {
  all(estimate, [
    [0.72, "~0.72"],
    [39.2, "~39"],
    [6688, "~6,700"],
    [-0.011, "~-0.011"],
    [0, "~0"],
  ]);
});

void test("exact halves go to the even digit", () => {
  assert.equal(fixed(0.125, 2), "0.12");
  assert.equal(fixed(0.375, 2), "0.38");
  assert.equal(fixed(2.5, 0), "2");
  assert.equal(fixed(-0.125, 2), "-0.12");
  assert.equal(fixed(1.005, 2), "1.00");
});

void test("thousands are grouped in front of the point alone", () => {
  all(grouped, [
    ["1234567.8912", "1,234,567.8912"],
    ["≥1000", "≥1,000"],
    ["-123", "-123"],
    ["1e+22", "1e+22"],
  ]);
});

void test("times with a unit", () => {
  all(scaledTime, [
    [13_980_000, "13.980ms"],
    [532, "0.532us"],
    [2_000_000_000, "2.000s"],
  ]);
  all(timeDigits, [
    [608, "608ns"],
    [2656, "2.6560us"],
    [26_435, "26.435us"],
    [115_180_000, "115.18ms"],
    [8_921_000_000, "8.92100s"],
    [999_999, "1.0000ms"],
  ]);
  assert.equal(instant(1_234_567), "1.234567");
  assert.equal(instant(5), "0.000005");
});

void test("numbers for programs parse back", () => {
  all(real, [
    [12, "12"],
    [0.1, "0.1"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [1e22, "1e+22"],
    [9007199254740991, "9007199254740991"],
  ]);
});

void test("names cannot act on the text around them", () => {
  assert.equal(printable("a\u202eb\u0007"), "a\\u202eb\\u0007");
  assert.equal(shortened("x".repeat(100_000), 30).length, 30);
  assert.equal(shortened("short", 30), "short");
  assert.doesNotMatch(shortened("a" + "😀".repeat(50), 30), /\p{Surrogate}/u);
});

void test("long lists of tensors are their count", () => {
  all(withShortLists, [
    ["T=[(64,3),(64)]", "T=[(64,3),(64)]"],
    [`T=[${"(1000,2),".repeat(5)}()] x`, "T=[6 tensors, 10.0 k elements] x"],
    ["gemm[(a),(b),(c),(d),(e)]", "gemm[(a),(b),(c),(d),(e)]"],
    ["T=[(1),(1),(1),(1),(1)", "T=[(1),(1),(1),(1),(1)"],
  ]);
});
