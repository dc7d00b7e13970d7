// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page with a small step: what it shows, and what a reader can do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable, type Cell } from "../made_document";
import { click, open, pageOf, ready, tableRows, texts } from "./harness";

function summary() {
  const lines: Cell[][] = [
    ["step", "period", null, 1e6, 100, null, "steps 1-9 of 10"],
    ["step", "period unprofiled", null, 9e5, 90, null, "estimated"],
    ["step", "computing", null, 4e5, 40, null, "121 kernels"],
    ["step", "idle", null, 6e5, 60, null, null],
    ["step", "MFU", null, null, 9.4, null, "products alone"],
    ["idle", "launch", null, 5e5, 50, null, "the host was launching it"],
    ["idle", "python", null, 1e5, 10, null, "Python ran between two ops"],
    ["layer", "h.*:attn", "bprop", 3e5, 30, 1e5, "14 % of roofline"],
    ["op", "linear", "fprop", 2e5, 20, 1e5, "50 % of roofline"],
  ];
  const cells = (column: number) => lines.map((line) => line[column] ?? null);
  return madeTable("summary", [
    { word: "section", type: "text", cells: cells(0) },
    { word: "what", type: "text", cells: cells(1) },
    { word: "dir", type: "text", cells: cells(2) },
    { word: "time_ns", type: "integer", style: "time", unit: "ns", cells: cells(3) },
    { word: "share_pct", type: "real", cells: cells(4) },
    { word: "headroom_ns", type: "integer", style: "time", unit: "ns", cells: cells(5) },
    { word: "detail", type: "text", cells: cells(6) },
  ]);
}

function advice() {
  const gain = { type: "real", marks: [3] } as const;
  return madeTable("advice", [
    { word: "advice", type: "text", cells: ["use CUDA graphs"] },
    { word: "gain_low_pct", ...gain, cells: [26.3] },
    { word: "gain_high_pct", ...gain, cells: [43.4] },
    { word: "gain_low_ns", ...gain, style: "time", cells: [260_000] },
    { word: "gain_high_ns", ...gain, style: "time", cells: [434_000] },
    { word: "evidence", type: "text", cells: ["0.5 ms idle while 121 launches take the host"] },
    { word: "layers", type: "text", cells: [null] },
    { word: "show", type: "text", cells: ["prof-report -r launch --step 5 trace.db"] },
  ]);
}

function groups() {
  return madeTable("groups", [
    { word: "layer", type: "text", cells: ["h.0:attn", "h.1:attn", "h.10:attn", "head"] },
    { word: "op", type: "text", cells: ["bmm", "bmm", "softmax", "linear"] },
    { word: "dir", type: "text", cells: ["bprop", "bprop", "bprop", "fprop"] },
    {
      word: "time_ns",
      header: "Time",
      type: "integer",
      style: "time",
      unit: "ns",
      cells: [150_000, 100_000, 50_000, null],
    },
  ]);
}

function steps() {
  return madeTable("steps", [
    { word: "step", type: "integer", cells: [0, 1, 2] },
    { word: "period_ns", type: "integer", style: "time", unit: "ns", cells: [9e9, 1e6, 1.1e6] },
    { word: "unusual", type: "text", cells: ["warm-up", null, null] },
  ]);
}

function gaps() {
  return madeTable("gaps", [
    { word: "cause", type: "text", cells: ["launch", "python"] },
    { word: "op", type: "text", cells: ["linear", "bmm"] },
    { word: "step_ns", type: "integer", style: "time", unit: "ns", cells: [5e5, 1e5] },
  ]);
}

const html = pageOf([
  madeDocument([summary(), advice(), steps(), gaps()], { warnings: ["12 records dropped"] }),
  madeDocument([groups()], { notes: ["groups: all steps"] }),
]);

void test("the first screen: the step, its parts, what to change, what is slow", async () => {
  const { page, close } = await open(html);
  assert.deepEqual(await texts(page, ".tile.main strong"), ["1.00 ms"]);
  assert.deepEqual(
    (await texts(page, ".legend li")).map((text) => text.trim()),
    ["computing 40.0 % 0.400 ms", "idle: launch 50.0 % 0.500 ms", "idle: python 10.0 % 0.100 ms"],
  );
  const [first = ""] = await texts(page, ".advice li");
  const gain = "gains ~0.26 to ~0.43 ms a step, ~26 to ~43 % of the 0.900 ms";
  assert.ok(first.startsWith(`use CUDA graphs ${gain} that it takes unprofiled`), first);
  assert.match(first, /prof-report -r launch --step 5 trace.db/);
  assert.match((await texts(page, ".card table"))[0] ?? "", /h\.\*:attnbprop0.30030.0/);
  assert.match((await texts(page, ".warnings"))[0] ?? "", /12 records dropped/);
  await close();
});

void test("a slow layer, then its rows: one click, kept in the address", async () => {
  const { page, close } = await open(html);
  await click(page, ".card button", "h.*:attn");
  const selected = [["h.0:attn", "0.150"], ["h.1:attn", "0.100"], ["h.10:attn", "0.0500"]];
  const shown = async () =>
    (await tableRows(page, "groups")).map((row) => [row[0] ?? "", row.at(-1) ?? ""]);
  assert.deepEqual(await shown(), selected);
  assert.equal(
    await page.evaluate(() => location.hash),
    "#view=icicle&sel.layer=h.*%3Aattn&sel.dir=bprop",
  );
  await page.reload();
  await ready(page);
  assert.deepEqual(await shown(), selected);
  await page.goBack();
  assert.deepEqual(await texts(page, "nav [aria-current]"), ["Overview"]);
  await page.goForward();
  await click(page, ".selection button", "Show all");
  assert.equal((await shown()).length, 4);
  await close();
});

void test("why idle: a click on the bar's part", async () => {
  const { page, close } = await open(html);
  await click(page, ".legend button", "idle: python");
  assert.deepEqual(await tableRows(page, "gaps"), [["python", "bmm", "0.100"]]);
  await close();
});

void test("what the causes mean is told without a mouse", async () => {
  const { page, close } = await open(html);
  await page.focus(".causes summary");
  await page.keyboard.press("Enter");
  const told = await page.$$eval(".causes[open] dl > div", (lines) =>
    lines.map(({ textContent }) => textContent),
  );
  assert.deepEqual(told, ["launchthe host was launching it", "pythonPython ran between two ops"]);
  await close();
});

void test("a view says which part of the selection it cannot follow", async () => {
  const { page, close } = await open(html, "#sel.cause=python&view=icicle");
  const note = () => texts(page, ".selection [role=note]");
  const said = "Where the time goes is not filtered by cause. Show in Why idle";
  assert.deepEqual(await note(), [said]);
  await click(page, ".selection [role=note] button", "Show in Why idle");
  assert.deepEqual(await tableRows(page, "gaps"), [["python", "bmm", "0.100"]]);
  assert.deepEqual(await note(), []);
  await close();
});

void test("a hit of the search leads from the overview to its rows", async () => {
  const { page, close } = await open(html);
  await page.type("#search", "python");
  await page.waitForSelector(".hits");
  const note = (await texts(page, ".selection [role=note]"))[0] ?? "";
  assert.ok(note.startsWith("Overview is not filtered by text."), note);
  await page.click(".hits button");
  assert.equal(await page.evaluate(() => location.hash), "#view=idle&sel.cause=python");
  await close();
});

void test("narrow: tab, first column and choice of columns are in sight", async () => {
  const { page, close } = await open(html, "#view=notes");
  await page.setViewport({ width: 400, height: 800 });
  await page.reload();
  await ready(page);
  const place = (selector: string) =>
    page.$eval(selector, (element) => {
      const { left, right } = element.getBoundingClientRect();
      return { left, right };
    });
  const tab = await place("nav [aria-current]");
  assert.ok(tab.left >= 0 && tab.right <= 400, JSON.stringify(tab));
  await click(page, "nav a", "Where the time goes");
  const first = await place("nav [aria-current]");
  assert.ok(first.left >= 0 && first.right <= 400, JSON.stringify(first));
  await page.$eval(".scroller", (scroller) => (scroller.scrollLeft = 1000));
  assert.ok((await place(".scroller")).left <= (await place("tbody td")).left);
  await page.click(".choice summary");
  const choices = await place(".choices");
  assert.ok(choices.left >= 0 && choices.right <= 400, JSON.stringify(choices));
  await close();
});

void test("search by keyboard", async () => {
  const { page, close } = await open(html, "#view=icicle");
  await page.keyboard.press("/");
  await page.keyboard.type("SOFT");
  await page.waitForSelector(".hits");
  assert.deepEqual(await texts(page, ".hits li"), ["op softmax"]);
  assert.equal((await tableRows(page, "groups")).length, 1);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => location.hash), "#view=icicle&sel.op=softmax");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => location.hash), "#view=icicle");
  await close();
});

void test("sort, conditions, columns, and a copy as csv", async () => {
  const { page, close } = await open(html, "#view=icicle", () => {
    const copied: string[] = [];
    Object.assign(window, { copied });
    const writeText = (text: string) => Promise.resolve(void copied.push(text));
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  const layers = async () => (await tableRows(page, "groups")).map(([layer]) => layer);
  await click(page, "th button", "layer");
  assert.deepEqual(await layers(), ["h.0:attn", "h.1:attn", "h.10:attn", "head"]);
  await click(page, "th button", "layer");
  assert.deepEqual(await layers(), ["head", "h.10:attn", "h.1:attn", "h.0:attn"]);
  await page.type('input[aria-label="Condition on Time(ms)"]', ">0.06");
  assert.deepEqual(await layers(), ["h.1:attn", "h.0:attn"]);
  await click(page, ".choices label", "dir");
  await click(page, ".choices label", "op");
  assert.equal((await tableRows(page, "groups"))[0]?.length, 2);
  await click(page, ".tools button", "Copy as CSV");
  await page.waitForFunction(() => document.querySelector(".tools [role=status]")?.textContent);
  assert.deepEqual(await page.evaluate(() => (window as never as { copied: string[] }).copied), [
    "layer,time_ns\nh.1:attn,100000\nh.0:attn,150000\n",
  ]);
  await close();
});

void test("all facts of a row, and a selection by them", async () => {
  const { page, close } = await open(html, "#view=icicle");
  await page.focus(".scroller");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match((await texts(page, ".facts"))[0] ?? "", /layerh\.1:attn/);
  await click(page, ".facts dd button", "only this");
  assert.deepEqual((await tableRows(page, "groups")).map(([layer]) => layer), ["h.1:attn"]);
  await close();
});

void test("steps as a strip: the unusual one stands out, a click selects", async () => {
  const { page, close } = await open(html, "#view=steps");
  assert.deepEqual(await texts(page, ".strip button.unusual"), [""]);
  await page.click(".strip li:nth-child(2) button");
  assert.deepEqual(await tableRows(page, "steps"), [["1", "1.00", "-"]]);
  await close();
});

void test("data that is cut off: one line, and what came before it", async () => {
  const damaged = html.replace('"notes":["groups: all steps"]', '"notes":["grou');
  assert.notEqual(damaged, html);
  const { page, close } = await open(damaged);
  assert.deepEqual(await texts(page, ".error"), [
    "the data is cut off or damaged: write the page again",
  ]);
  assert.deepEqual(await texts(page, ".tile.main strong"), ["1.00 ms"]);
  await close();
});
