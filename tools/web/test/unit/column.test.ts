// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { IS_AT_LEAST, IS_ESTIMATE } from "../../src/data/column";
import { parseDocument } from "../../src/data/document";
import { Model, Table } from "../../src/data/model";
import { madeDocument, madeTable, type MadeColumn } from "../made_document";

function packed(bytes: number[]): string {
  return deflateRawSync(Buffer.from(bytes)).toString("base64");
}

function packedText(text: string): string {
  return deflateRawSync(Buffer.from(text)).toString("base64");
}

function column(made: MadeColumn) {
  const only = new Table(madeTable("made", [made])).columns[0];
  assert.ok(only);
  return only;
}

void test("integers, zigzag, in chunks, with nulls", () => {
  const cells = [0, -1, 1, null, 300, -70000, Number.MAX_SAFE_INTEGER];
  for (const isDelta of [false, true]) {
    const read = column({ word: "n", type: "integer", cells, isDelta, chunkRows: 3 });
    assert.deepEqual(
      cells.map((_, row) => (read.isNull(row) ? null : read.number(row))),
      cells,
    );
  }
});

void test("integers beyond 2^53 are exact", () => {
  const cells = [5n, (1n << 62n) + 1n, -(1n << 60n) - 1n];
  const read = column({ word: "id", type: "integer", cells });
  assert.equal(read.number(0), 5);
  assert.equal(read.exact(0), undefined);
  assert.equal(read.exact(1), cells[1]);
  assert.equal(read.exact(2), cells[2]);
});

void test("reals, by bytes or with a divisor", () => {
  const cells = [0.1, -2.5e-300, null, 1.602];
  const bytes = column({ word: "x", type: "real", cells });
  assert.deepEqual([...bytes.numbers], [0.1, -2.5e-300, NaN, 1.602]);
  const divided = column({ word: "x", type: "real", cells: [0.1, 1.602], divisor: 1000 });
  assert.deepEqual([...divided.numbers], [0.1, 1.602]);
});

void test("texts, with nulls", () => {
  const read = column({ word: "op", type: "text", cells: ["b", null, "a", "b"], chunkRows: 2 });
  assert.deepEqual([0, 1, 2, 3].map((row) => read.text(row)), ["b", null, "a", "b"]);
  assert.deepEqual(read.texts, ["b", "a"]);
});

void test("marks of sums and estimates", () => {
  const read = column({ word: "n", type: "real", cells: [1, 2, null], marks: [0, 2, 3] });
  assert.deepEqual([0, 1].map((row) => read.mark(row)), [0, IS_AT_LEAST]);
  assert.ok(read.isNull(2));
  assert.equal(column({ word: "n", type: "real", cells: [7], marks: [3] }).mark(0), IS_ESTIMATE);
});

void test("a column that is cut off is an error that says so", () => {
  const data = madeTable("made", [{ word: "n", type: "integer", cells: [1, 2, 3] }]);
  const more = { ...data, columns: data.columns.map((one) => ({ ...one })), rows: 5 };
  const [only] = more.columns;
  assert.ok(only);
  Object.assign(only, { chunks: only.chunks.map((chunk) => ({ ...chunk, rows: 5 })) });
  assert.throws(() => new Table(more).columns[0]?.numbers, /cut off/);
});

void test("what is no document is refused in one line", () => {
  assert.throws(() => parseDocument('{"format":"prof-col'), /cut off/);
  assert.throws(() => parseDocument('{"format":"other"}'), /not of prof-report/);
  const newer = '{"format":"prof-columns","version":9,"prof_version":"7.1.0"}';
  assert.throws(() => parseDocument(newer), /version 9 .* up to 1: .* libprof 7\.1\.0 or newer/);
  assert.throws(() => parseDocument('{"format":"prof-columns"}'), /version 0/);
});

void test("members that later releases add are ignored", () => {
  const text = '{"format":"prof-columns","version":1,"prof_version":"7.1.0","new":[1]}';
  assert.equal(parseDocument(text).prof_version, "7.1.0");
});

void test("documents come one after the other", () => {
  const model = new Model();
  let told = 0;
  const stop = model.listen(() => ++told);
  model.add(madeDocument([madeTable("steps", [])], { notes: ["a"] }));
  model.add(madeDocument([madeTable("kernels", [], { side: "new" })], { notes: ["a", "b"] }));
  stop();
  model.complete();
  assert.equal(told, 2);
  assert.deepEqual(model.notes, ["a", "b"]);
  assert.ok(model.isDiff);
  assert.ok(model.table("kernels", "new"));
  assert.equal(model.table("kernels"), undefined);
});

// The example of docs/formats/columns.md: what prof-report writes, not what these tests encode.
const EXAMPLE = `
{"format":"prof-columns","version":1,"prof_version":"0.1.0",
 "traces":[{"name":"trace.db","rank":null,"host":"node1","run":null}],
 "tables":[
  {"name":"kernels","report":"kernels","side":null,"title":"every GPU kernel in launch order",
   "missing":"","keys":[],"rows":3,
   "columns":[
    {"word":"op","header":"Op","unit":"","type":"text","help":"op that launched the kernel",
     "style":"plain","decimals":0,"grouped":false,"right":false,"place":"cell","values":{},
     "texts":"i1bKycxLTSxS0lFKT80pVYoFAA==",
     "chunks":[{"rows":3,"encoding":"text","data":"Y2RiAAA="}]},
    {"word":"time_us","header":"Time","unit":"us","type":"real","help":"time on the GPU",
     "style":"plain","decimals":3,"grouped":false,"right":true,"place":"cell","values":{},
     "chunks":[{"rows":3,"encoding":"integer","divisor":1000,"data":"uzGF+YFQAz8A"}]}]}],
 "notes":[],"warnings":[]}`;

void test("the document of the format's description", () => {
  const [data] = parseDocument(EXAMPLE).tables;
  assert.ok(data);
  const { columns } = new Table(data);
  assert.deepEqual([0, 1, 2].map((row) => columns[0]?.text(row)), ["linear", "gelu", null]);
  assert.deepEqual([...(columns[1]?.numbers ?? [])], [25.9, 1.2, 0.96]);
});

void test("chunks of several types are JSON values", () => {
  const chunks = [
    { rows: 2, encoding: "integer", data: packed([14, 1]) },
    { rows: 1, encoding: "bool", data: packed([1]) },
    { rows: 2, encoding: "text", data: packed([1, 0]) },
    { rows: 1, encoding: "json", data: packed([2]) },
  ];
  const table = {
    ...madeTable("made", [{ word: "x", type: "text", cells: [null] }]),
    rows: 6,
  };
  const data = { ...table.columns[0], type: "json", texts: packedText('["a","[1]"]'), chunks };
  const only = new Table({ ...table, columns: [data] } as typeof table).columns[0];
  assert.ok(only);
  const texts = [0, 1, 2, 3, 4, 5].map((row) => only.text(row));
  assert.deepEqual(texts, ["7", "-1", "true", '"a"', null, "[1]"]);
});
