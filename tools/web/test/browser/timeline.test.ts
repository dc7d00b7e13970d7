// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what is shown, what covers what, where it opens, and what is measured.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { madeDocument, madeTable } from "../made_document";
import { canvasOf, fragment, frames, int, text, type Box } from "./canvases";
import { open, pageOf, texts } from "./harness";

/** Time for the address to follow. */
const settled = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 700)));

async function timeOf(page: Page): Promise<[number, number]> {
  await settled(page);
  const time = (await fragment(page)).get("canvas.time") ?? "";
  const [from = NaN, to = NaN] = time.split("-").map(Number);
  return [from, to];
}

const LONG = "stages.2.blocks.3.mlp.grouped_projection_of_experts_with_a_long_name.linear_1";
const STREAMS = 16;
const numbers = Array.from({ length: STREAMS }, (_, i) => i);

/** A kernel on each of many streams in step 1, and step 2 on the first two of them. */
const work = madeTable("work", [
  int("idx", [...numbers, STREAMS, STREAMS + 1]),
  text("op", [...numbers.map(() => "linear"), "linear", "relu"]),
  text("kernel", [...numbers.map((i) => `gemm${i}`), "gemm", "relu"]),
  text("layer", [...numbers.map(() => LONG), LONG, LONG]),
  int("device", [...numbers.map(() => 0), 0, 0]),
  int("stream", [...numbers.map((i) => 7 + i), 7, 8]),
  int("thread", [...numbers.map(() => 1), 1, 1]),
  int("step", [...numbers.map(() => 1), 2, 2]),
  int("start_ns", [...numbers.map(() => 10_000), 60_000, 70_000]),
  int("time_ns", [...numbers.map(() => 20_000), 20_000, 20_000]),
  int("launch_ns", [...numbers.map(() => 0), 50_000, 50_500]),
  int("launch_time_ns", [...numbers.map(() => 100), 100, 100]),
]);
const steps = madeTable("steps", [
  int("step", [1, 2]),
  int("start_ns", [0, 50_000]),
  int("period_ns", [50_000, 50_000]),
]);
const PAGE = pageOf([madeDocument([steps]), madeDocument([work])]);

/** Where rows begin, and the middle of the first stream of a GPU without idle time. */
const FIRST = 79;
const STREAM_HEIGHT = 35;

const boxOf = (page: Page, selector: string): Promise<Box> =>
  page.$eval(selector, (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { left, top, width, height };
  });

/** Pixels of the color that outlines what is selected. */
const outlined = (page: Page): Promise<number> =>
  page.$eval("canvas", (canvas) => {
    // Of a copy: the browser complains of a canvas that is read again and again.
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", { willReadFrequently: true });
    context?.drawImage(canvas, 0, 0);
    const { data } = context?.getImageData(0, 0, copy.width, copy.height) ?? { data: [] };
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i] === 0 && data[i + 1] === 0 && data[i + 2] === 0 && data[i + 3] === 255) ++count;
    }
    return count;
  });

for (const [width, height] of [[1280, 800], [1920, 1080], [390, 844]] as const) {
  void test(`facts do not cover what was clicked, at ${width}x${height}`, async () => {
    const { page, close } = await open(PAGE, "#view=timeline&step=1");
    await page.setViewport({ width, height });
    await page.reload();
    const before = await canvasOf(page);
    const seen = Math.min(before.height, height - before.top) - FIRST;
    const lowest = Math.min(STREAMS - 1, Math.floor(seen / STREAM_HEIGHT));
    const y = before.top + FIRST + lowest * STREAM_HEIGHT;
    await page.mouse.click(before.left + before.width * 0.35, y);
    await frames(page);
    assert.match((await fragment(page)).get("canvas.mark") ?? "", /^work\./);
    for (const key of ["", "f", "w"] as const) {
      if (key) await page.keyboard.press(key);
      await frames(page);
      const canvas = await boxOf(page, "canvas");
      const facts = await boxOf(page, ".facts");
      assert.ok(facts.top >= canvas.top + canvas.height, `${key}: ${facts.top}`);
      assert.ok((await outlined(page)) > 20, `${key}: the kernel is out of sight`);
    }
    if (width > 600) {
      const facts = await boxOf(page, ".facts");
      assert.ok(facts.top < height - 100, `facts begin at ${facts.top}`);
    }
    await close();
  });
}

void test("long names in the facts are wrapped, not cut", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.mark=work.0");
  await canvasOf(page);
  const isCut = await page.$$eval(".facts dd", (all) =>
    all.filter((one) => one.scrollWidth > one.clientWidth).map(({ textContent }) => textContent),
  );
  assert.deepEqual(isCut, []);
  assert.ok((await texts(page, ".facts dd")).includes(LONG));
  await close();
});

void test("w and s zoom around the mouse, or the middle if it is elsewhere", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.time=all");
  const { left, top, width } = await canvasOf(page);
  await page.focus("canvas");
  await page.keyboard.press("w");
  const [from, to] = await timeOf(page);
  assert.ok(Math.abs((from + to) / 2 - 45_000) < 1000, `${from} to ${to}`);
  await page.keyboard.press("0");
  await settled(page);
  await page.mouse.move(left + width * 0.25, top + 60);
  await page.keyboard.press("w");
  // 90 us, of which a quarter stays to the left.
  const [near, far] = await timeOf(page);
  assert.ok(Math.abs(near - 6750) < 500 && Math.abs(far - 69_750) < 500, `${near} to ${far}`);
  await page.keyboard.press("s");
  await settled(page);
  assert.equal((await fragment(page)).get("canvas.time"), "all");
  await close();
});

void test("empty streams are behind a line that a click or e unfolds", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&step=2&canvas.threads=hidden");
  const { left, top, height } = await canvasOf(page);
  assert.equal(height, 39 + 18 + 2 * STREAM_HEIGHT + 18 + 3);
  await page.mouse.click(left + 20, top + height - 12);
  await frames(page);
  assert.equal((await fragment(page)).get("canvas.empty"), "shown");
  assert.ok((await canvasOf(page)).height > height + 200);
  await page.focus("canvas");
  await page.keyboard.press("e");
  await frames(page);
  assert.equal((await canvasOf(page)).height, height);
  // What is moved into sight is not empty any more.
  await page.keyboard.press("s");
  await page.keyboard.press("s");
  await settled(page);
  assert.ok((await canvasOf(page)).height > height + 200);
  await close();
});

const RANKS = 12;
const ranks = Array.from({ length: RANKS }, (_, i) => i);
const LATE = 9;
const traces = ranks.map((rank) => ({ name: `rank${rank}.db`, rank, host: null, run: null }));

function ranksPage(cause: string | null): string {
  const places = [
    text("trace", ranks.map((rank) => `rank${rank}.db`)),
    int("rank", ranks),
    int("device", ranks.map(() => 0)),
  ];
  const stragglers = madeTable("stragglers", [
    text("who", [`rank ${LATE}`, "rank 1"]),
    text("trace", [`rank${LATE}.db`, "rank1.db"]),
    text("cause", [cause, null]),
  ]);
  const kernels = madeTable("work", [
    ...places,
    text("op", ranks.map(() => "linear")),
    text("kernel", ranks.map((rank) => `gemm${rank}`)),
    int("stream", ranks.map(() => 7)),
    int("start_ns", ranks.map(() => 0)),
    int("time_ns", ranks.map(() => 50_000)),
  ]);
  return pageOf([
    madeDocument([stragglers], { traces }),
    madeDocument([kernels], { traces }),
  ]);
}

void test("of many ranks it opens at the one for which the others wait", async () => {
  const { page, close } = await open(ranksPage("host"), "#view=timeline");
  await page.setViewport({ width: 1280, height: 500 });
  await page.reload();
  const { left, top, width, height } = await canvasOf(page);
  // As far as it can be scrolled: the last ranks fill the rest.
  const RANK_HEIGHT = 53;
  const above = Math.max(0, LATE - (RANKS - (height - 42) / RANK_HEIGHT));
  await page.mouse.click(left + width / 2, top + FIRST + above * RANK_HEIGHT);
  assert.equal((await fragment(page)).get("canvas.mark"), `work.${LATE}`);
  await close();
  const unnamed = await open(ranksPage(null), "#view=timeline");
  await unnamed.page.setViewport({ width: 1280, height: 500 });
  await unnamed.page.reload();
  const box = await canvasOf(unnamed.page);
  await unnamed.page.mouse.click(box.left + box.width / 2, box.top + FIRST);
  assert.equal((await fragment(unnamed.page)).get("canvas.mark"), "work.0");
  await unnamed.close();
});

const measured = (page: Page) => texts(page, ".measured:not([hidden]) p");

void test("a drag with shift measures a span, Esc removes it, a link restores it", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.time=all");
  const { left, top, width } = await canvasOf(page);
  await page.keyboard.down("Shift");
  await page.mouse.move(left + width * 0.2, top + FIRST);
  await page.mouse.down();
  await page.mouse.move(left + width * 0.6, top + FIRST, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await frames(page);
  // From 18 to 54 of 90 us; kernels run until 30 us.
  const [said = ""] = await measured(page);
  assert.match(said, /^Measured: 0\.036\d ms, from 0\.0\d+ ms to 0\.0\d+ ms\. GPU 0: busy /);
  const [, busy, idle] = /busy (\S+) ms \(\S+ %\), idle (\S+) ms/.exec(said) ?? [];
  assert.ok(Math.abs(Number(busy) - 0.012) < 0.0005, said);
  assert.ok(Math.abs(Number(idle) - 0.024) < 0.0005, said);
  assert.equal((await fragment(page)).get("canvas.mark"), null);
  assert.equal((await fragment(page)).get("canvas.time"), "all");
  await page.keyboard.press("Escape");
  assert.deepEqual(await measured(page), []);
  assert.equal((await fragment(page)).get("canvas.measure"), null);
  await close();
  const again = await open(PAGE, "#view=timeline&canvas.measure=10000-50000");
  await canvasOf(again.page);
  assert.match((await measured(again.page))[0] ?? "", /busy 0\.0200 ms \(50\.0 %\), idle 0\.0200 ms/);
  await again.page.click(".measured button");
  assert.deepEqual(await measured(again.page), []);
  await again.close();
});

void test("m measures from the selected mark to the next one, without a mouse", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.mark=work.0");
  await canvasOf(page);
  await page.focus("canvas");
  await page.keyboard.press("m");
  const [first = ""] = await measured(page);
  assert.match(first, /^Measured: 0\.0200 ms, .* Press m again for the end\.$/);
  await page.keyboard.press(".");
  await page.keyboard.press("m");
  // From the start of the first kernel of the stream to the end of its second one.
  assert.match((await measured(page))[0] ?? "", /^Measured: 0\.0700 ms, .* idle 0\.0300 ms\.$/);
  assert.equal((await fragment(page)).get("canvas.measure"), "10000-80000");
  await page.keyboard.press("Escape");
  assert.deepEqual(await measured(page), []);
  assert.equal((await fragment(page)).get("canvas.mark"), "work.16");
  await close();
});

void test("the key help has all keys, for screen readers, too", async () => {
  const { page, close } = await open(PAGE, "#view=timeline");
  await canvasOf(page);
  const help = (await texts(page, ".canvas-help li")).join(" ");
  const label = await page.$eval("canvas", (canvas) => canvas.getAttribute("aria-label") ?? "");
  for (const words of ["around the mouse", "press m", "drag with Shift", "e shows or hides"]) {
    assert.ok(help.includes(words) && label.includes(words), words);
  }
  assert.ok((await page.$eval(".canvas-help", (help) => help.clientHeight)) < 40);
  await page.focus(".canvas-help summary");
  await page.keyboard.press("Enter");
  assert.equal(await page.$eval(".canvas-help", (help) => (help as HTMLDetailsElement).open), true);
  await close();
});
