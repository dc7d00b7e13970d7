// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page's cells are those of the reports: read from -f columns, they must be what -f csv and
// -f markdown print of recorded steps. Needs PROF_REPORT, the path of prof-report.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { parseDocument } from "../../src/data/document";
import { Table } from "../../src/data/model";
import { toCsv } from "../../src/grid/csv";
import { gridOf } from "../../src/grid/grid";
import { cellText, heading } from "../../src/text/cells";

const REPORTS = [
  "kernels",
  "gpu",
  "summary",
  "advice",
  "steps",
  "gemms",
  "headroom",
  "roofline",
  "memory",
  "launch",
  "clocks",
  "losses",
];
const RECORDINGS = ["gpt_steps", "bert", "torch_gpt2_steps"];

const program = process.env["PROF_REPORT"] ?? "";
const recordings = join(process.cwd(), "../../tests/data");
const folder = mkdtempSync(join(tmpdir(), "prof-reports-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...words: string[]): string {
  const done = spawnSync(command, words, { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, `${command} ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

function tableOf(report: string, trace: string): Table {
  const { tables } = parseDocument(run(program, "-f", "columns", "-r", report, trace));
  assert.ok(tables[0]);
  return new Table(tables[0]);
}

/** Cells of a markdown table, row by row, without its head. */
function markdownRows(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/\\([^A-Za-z0-9\s])/g, "$1")),
  );
}

for (const recording of RECORDINGS) {
  void test(`numbers of ${recording} are those of the reports`, { skip: !program }, () => {
    const trace = `${recording}.db`;
    const stream = join(recordings, `${recording}.jsonl.gz`);
    run(join(dirname(program), "prof-import"), "-o", trace, stream);
    for (const report of REPORTS) {
      const table = tableOf(report, trace);
      const words = table.columns.map(({ info }) => info.word);
      const rows = Uint32Array.from({ length: table.rows }, (_, row) => row);
      const { columns } = gridOf(table, words);
      const csv = run(program, "-f", "csv", "-r", report, trace);
      assert.deepEqual(toCsv(columns, rows).split("\n"), csv.split("\n"), `${report} as csv`);
      compareCells(report, trace, table);
    }
  });
}

/** As tables print them, but for columns whose cells are not in each line. */
function compareCells(report: string, trace: string, table: Table): void {
  const columns = table.columns.filter(({ info }) => info.place === "cell");
  const words = columns.map(({ info }) => info.word).join(",");
  const printed = run(program, "-f", "markdown", "-r", report, "-c", words, trace);
  const shown = Array.from({ length: table.rows }, (_, row) =>
    columns.map((column) => cellText(column, row)),
  );
  assert.deepEqual(shown, markdownRows(printed).slice(0, table.rows), `${report} as a table`);
  const head = printed.split("\n", 1)[0] ?? "";
  for (const { info } of columns) assert.ok(head.includes(heading(info)), heading(info));
}
