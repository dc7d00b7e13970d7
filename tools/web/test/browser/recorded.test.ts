// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages that prof-report itself writes of recorded steps: every view opens, with its tables.
// Needs PROF_REPORT, the path of prof-report.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { click, open, texts } from "./harness";

const RECORDINGS = ["gpt", "bert", "dlrm", "torch_gpt2_steps"];
const program = process.env["PROF_REPORT"] ?? "";
const folder = mkdtempSync(join(tmpdir(), "prof-recorded-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, ...words: string[]): string {
  const done = spawnSync(command, words, { cwd: folder, encoding: "utf8" });
  assert.equal(done.status, 0, `${command} ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}

function imported(recording: string, as: string): string {
  const stream = join(process.cwd(), "../../tests/data", `${recording}.jsonl.gz`);
  run(join(dirname(program), "prof-import"), "-o", as, stream);
  return as;
}

/** Opens every view, in light and dark; the harness fails on whatever the console says. */
async function openAllViews(...traces: string[]): Promise<string[]> {
  const output = `${traces.join("-")}.html`;
  run(program, "--html", output, ...traces);
  const { page, close } = await open(readFileSync(join(folder, output), "utf8"));
  const views = await texts(page, "nav a");
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const view of views) {
      await click(page, "nav a", view);
      const shown = await page.$eval("main", (main) => main.textContent.length);
      const canvases = await page.$$eval("main canvas", (all) => all.length);
      assert.ok(shown > 20 || canvases > 0, `${output}: ${view} is empty`);
    }
  }
  await close();
  return views;
}

for (const recording of RECORDINGS) {
  void test(`every view of ${recording}`, { skip: !program }, async () => {
    const trace = imported(recording, `${recording}.db`);
    const views = await openAllViews(trace);
    for (const view of ["Overview", "Where the time goes", "Roofline", "Timeline", "GEMMs"]) {
      assert.ok(views.includes(view), `${recording} has no ${view}`);
    }
    const { page, close } = await open(readFileSync(join(folder, `${trace}.html`), "utf8"));
    type Line = Record<string, unknown>;
    const lines = JSON.parse(run(program, "-r", "summary", "-f", "json", trace)) as Line[];
    const layers = lines.filter(({ section }) => section === "layer").map(({ what }) => what);
    const shown = await texts(page, '[aria-label="Slowest layers, by direction"] td button');
    assert.deepEqual(shown, layers);
    await close();
  });
}

void test("every view of two captures", { skip: !program }, async () => {
  const views = await openAllViews(imported("gpt_steps", "a.db"), imported("gpt_steps", "b.db"));
  assert.ok(views.includes("What changed"));
});
