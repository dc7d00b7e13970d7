// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that attack the page, in every place where a name can be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable } from "../made_document";
import { open, pageOf, tableRows } from "./harness";

const HOSTILE = [
  "</script><script>document.title='owned'</script>",
  "<img src=x onerror=\"document.title='owned'\">",
  "<!--<script>",
  '"><svg onload=alert(1)>',
  "javascript:alert(1)",
  "' onmouseover='alert(1)",
  "$& $1 $` @CODE@ <!--prof:rest-->",
  "\u202eelif\u2066\u200f hidden\u0000\u0007\u001b[31m",
  "x".repeat(100_000),
  "__proto__",
  "constructor",
];
const VIEWS = [
  "overview",
  "diff",
  "icicle",
  "roofline",
  "timeline",
  "idle",
  "steps",
  "gemms",
  "kernels",
  "notes",
  "more",
];

function hostileTable(name: string, words: readonly string[]) {
  return madeTable(
    name,
    words.map((word) => ({
      word,
      header: HOSTILE[1],
      help: HOSTILE[0],
      type: "text",
      cells: HOSTILE,
    })),
    { title: HOSTILE[0] },
  );
}

void test("names do nothing, wherever they are", async () => {
  const summary = madeTable("summary", [
    { word: "section", type: "text", cells: HOSTILE.map((_, i) => (i % 2 ? "layer" : "idle")) },
    { word: "what", type: "text", cells: HOSTILE },
    { word: "detail", type: "text", cells: HOSTILE },
    { word: "share_pct", type: "real", cells: HOSTILE.map((_, i) => i) },
  ]);
  const names = ["layer", "op", "dir", "params", "kernel", "cause", "change", "unusual"];
  const tables = ["groups", "gaps", "steps", "gemms", "work", "losses", "diff", HOSTILE[1] ?? ""];
  const data = madeDocument(
    [
      summary,
      hostileTable("advice", ["advice", "evidence", "layers", "show"]),
      ...tables.map((name) => hostileTable(name, names)),
    ],
    {
      notes: HOSTILE.map((text) => `trace: ${text}`),
      warnings: HOSTILE,
      traces: HOSTILE.map((name) => ({ name, rank: null, host: null, run: null })),
    },
  );
  const html = pageOf([data]);
  for (const view of VIEWS) {
    const selected = encodeURIComponent(HOSTILE[1] ?? "");
    const { page, close } = await open(html, `#view=${view}&sel.op=${selected}`);
    const seen = await page.evaluate(() => ({
      title: document.title,
      scripts: document.scripts.length,
      images: document.querySelectorAll("img,svg,iframe,object").length,
      longest: Math.max(
        ...[...document.querySelectorAll("bdi")].map(({ textContent }) => textContent.length),
      ),
      acting: /[\u0000-\u0008\u001b\u200f\u202e\u2066]/.test(document.body.textContent),
    }));
    assert.deepEqual({ ...seen, longest: seen.longest <= 4000 }, {
      title: "page of a test",
      scripts: 1,
      images: 0,
      longest: true,
      acting: false,
    });
    await close();
  }
});

void test("a name's full text is there on demand", async () => {
  const html = pageOf([madeDocument([hostileTable("groups", ["layer"])])]);
  const { page, close } = await open(html, "#view=icicle");
  assert.equal((await tableRows(page, "groups")).length, HOSTILE.length);
  await page.focus(".scroller");
  for (let i = 0; i <= HOSTILE.indexOf("x".repeat(100_000)); ++i) {
    await page.keyboard.press("ArrowDown");
  }
  assert.equal(await page.$eval(".facts dd bdi", (one) => one.textContent.length), 100_000);
  await close();
});
