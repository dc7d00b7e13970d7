// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Icicle, roofline and timeline: what they draw, what clicks and keys select, what a link restores.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { madeDocument, madeTable } from "../made_document";
import { canvasOf, fragment, frames, int, real, text } from "./canvases";
import { click, open, pageOf, texts } from "./harness";

const HOSTILE = `"><script>document.title = "hit"</script>\u202e`;

const GROUPS = madeTable("groups", [
  text("layer", ["h.0:mlp", "h.0:mlp", HOSTILE]),
  text("op", ["linear", "gelu", "linear"]),
  text("dir", ["fprop", "fprop", "bprop"]),
  text("params", ["M=1", "T=(1)", "M=2"]),
  text("dtype", ["float16", "float16", "float16"]),
  text("bound", ["compute", "memory", "compute"]),
  int("kernels", [4, 4, 8]),
  int("time_ns", [40_000, 10_000, 50_000]),
  real("roofline_pct", [90, 50, 60]),
  real("tflop_per_s", [600, 1, 400]),
  real("peak_tflop_per_s", [989, 67, 989]),
  real("gb_per_s", [1000, 2000, 1000]),
  real("peak_gb_per_s", [4800, 4800, 4800]),
  real("intensity", [400, 0.5, 400]),
]);

const WORK = madeTable("work", [
  int("idx", [1, 2, 3]),
  text("op", ["linear", "gelu", "linear"]),
  text("kernel", ["gemm_fwd", "gelu_kernel", HOSTILE]),
  text("layer", ["h.0:mlp", "h.0:mlp", HOSTILE]),
  text("dir", ["fprop", "fprop", "bprop"]),
  int("device", [0, 0, 0]),
  int("stream", [7, 7, 7]),
  int("thread", [1, 1, 1]),
  int("step", [1, 1, 2]),
  int("start_ns", [0, 40_000, 50_000]),
  int("time_ns", [40_000, 10_000, 50_000]),
  int("launch_ns", [0, 5000, 8000]),
]);

const STEPS = madeTable("steps", [
  int("step", [1, 2]),
  int("start_ns", [0, 50_000]),
  int("period_ns", [50_000, 50_000]),
]);

/** Where the only stream of GPU 0 is; below the row of idle time, where there is one. */
const KERNELS = 79;
const KERNELS_BELOW_IDLE = 104;

const PAGE = pageOf([madeDocument([STEPS]), madeDocument([GROUPS]), madeDocument([WORK])]);

/** Distinct colors of a row of pixels, at a height in CSS pixels. */
function colorsAt(page: Page, y: number): Promise<number> {
  return page.$eval(
    "canvas",
    (canvas, height) => {
      const pixels = canvas.getContext("2d")?.getImageData(0, height, canvas.width, 1).data ?? [];
      const seen = new Set<string>();
      for (let i = 0; i < pixels.length; i += 4) {
        seen.add([pixels[i], pixels[i + 1], pixels[i + 2], pixels[i + 3]].join());
      }
      return seen.size;
    },
    y,
  );
}

void test("icicle: a click zooms and selects in all views, Esc shows everything", async () => {
  const { page, close } = await open(PAGE, "#view=icicle");
  const { left, top, width } = await canvasOf(page);
  assert.ok((await colorsAt(page, 5)) > 1);
  // The second row: fprop takes half of the width.
  await page.mouse.click(left + width * 0.25, top + 52);
  await frames(page);
  const chosen = await fragment(page);
  assert.equal(chosen.get("sel.layer"), "h.0");
  assert.equal(chosen.get("sel.dir"), "fprop");
  assert.equal(chosen.get("canvas.zoom"), '["fprop","h.0"]');
  // The selection stands above the canvas. Linear takes four fifths of what is shown now.
  await page.mouse.move(left + width * 0.7, (await canvasOf(page)).top + 94);
  await page.waitForSelector(".mark-card:not([hidden])");
  assert.match((await texts(page, ".mark-card strong"))[0] ?? "", /fprop › h\.0 › mlp › linear$/);
  await page.focus("canvas");
  await page.keyboard.press("Escape");
  await frames(page);
  assert.equal((await fragment(page)).get("sel.layer"), null);
  await close();
});

void test("icicle: keys move and choose, names do nothing, a link restores the zoom", async () => {
  const { page, close } = await open(PAGE, '#view=icicle&canvas.zoom=["bprop"]');
  await canvasOf(page);
  await page.focus("canvas");
  // The part itself, then the two levels that the name's '.' makes.
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowDown");
  const title = (await texts(page, ".mark-card strong"))[0] ?? "";
  assert.ok(title.includes("<script>") && title.includes("\\u202e"), title);
  await page.keyboard.press("Enter");
  await frames(page);
  assert.equal((await fragment(page)).get("sel.layer"), HOSTILE);
  assert.notEqual(await page.title(), "hit");
  await close();
});

void test("roofline: points from the longest on, with their numbers", async () => {
  const { page, close } = await open(PAGE, "#view=roofline");
  await canvasOf(page);
  await page.focus("canvas");
  await page.keyboard.press("ArrowRight");
  const facts = await texts(page, ".mark-card dd");
  assert.ok(facts.includes("M=2") && facts.includes("0.0500"), facts.join());
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  const chosen = await fragment(page);
  assert.deepEqual(
    ["op", "dir", "params", "dtype"].map((word) => chosen.get(`sel.${word}`)),
    ["linear", "fprop", "M=1", "float16"],
  );
  await close();
});

void test("timeline: a click selects a kernel and shows its facts", async () => {
  const { page, close } = await open(PAGE, "#view=timeline");
  const { left, top, width } = await canvasOf(page);
  await page.mouse.click(left + width * 0.75, top + KERNELS);
  await frames(page);
  const chosen = await fragment(page);
  assert.equal(chosen.get("canvas.mark"), "work.2");
  assert.equal(chosen.get("sel.dir"), "bprop");
  const facts = (await texts(page, ".facts"))[0] ?? "";
  assert.ok(facts.includes("<script>") && facts.includes("0.0500"), facts);
  assert.notEqual(await page.title(), "hit");
  await page.focus("canvas");
  await page.keyboard.press(",");
  assert.equal((await fragment(page)).get("canvas.mark"), "work.1");
  await close();
});

void test("timeline: the wheel zooms with the focus alone; a link restores the place", async () => {
  const { page, close } = await open(PAGE, "#view=timeline");
  const { left, top, width } = await canvasOf(page);
  const time = async () => {
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 800)));
    return (await fragment(page)).get("canvas.time");
  };
  await page.mouse.move(left + width / 2, top + 60);
  await page.mouse.wheel({ deltaY: -300 });
  assert.equal(await time(), null);
  await page.focus("canvas");
  await page.mouse.move(left + width / 2, top + 60);
  await page.mouse.wheel({ deltaY: -300 });
  const [from = NaN, to = NaN] = ((await time()) ?? "").split("-").map(Number);
  assert.ok(from > 20_000 && to < 80_000 && from < to, `${from} to ${to}`);
  await page.keyboard.press("d");
  const moved = Number(((await time()) ?? "").split("-")[0]);
  assert.ok(moved > from);
  await page.keyboard.press("0");
  assert.equal(await time(), "all");
  await close();

  const again = await open(PAGE, "#view=timeline&canvas.time=60000-61000");
  const box = await canvasOf(again.page);
  await again.page.mouse.click(box.left + 5, box.top + KERNELS);
  assert.equal((await fragment(again.page)).get("canvas.mark"), "work.2");
  await again.close();
});

void test("timeline: a chosen step fills the width", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&step=1");
  const { left, top, width } = await canvasOf(page);
  await page.mouse.click(left + width * 0.9, top + KERNELS);
  assert.equal((await fragment(page)).get("canvas.mark"), "work.1");
  await close();
});

const IDLE = madeTable("idle", [
  text("cause", ["launch", "python"]),
  int("device", [0, 0]),
  int("step", [1, 2]),
  int("start_ns", [39_000, 52_000]),
  int("time_ns", [1000, 40_000]),
]);
const GAPS = madeTable("gaps", [
  text("cause", ["launch", "python"]),
  int("device", [0, 0]),
  int("max_ns", [1000, 40_000]),
  int("max_step", [1, 2]),
]);
const ADVICE = madeTable("advice", [
  text("advice", ["less"]),
  text("show", ["prof-report -r launch --step 2 trace.db"]),
]);

void test("timeline: it opens on the step of the advice; All is in the address", async () => {
  const html = pageOf([madeDocument([STEPS, ADVICE]), madeDocument([WORK])]);
  const { page, close } = await open(html, "#view=timeline");
  const box = await canvasOf(page);
  await page.mouse.click(box.left + box.width * 0.38, box.top + KERNELS);
  assert.equal((await fragment(page)).get("canvas.mark"), "work.1");
  await close();
  const all = await open(html, "#view=timeline&canvas.time=all");
  const whole = await canvasOf(all.page);
  await all.page.mouse.click(whole.left + whole.width * 0.38, whole.top + KERNELS);
  assert.equal((await fragment(all.page)).get("canvas.mark"), "work.0");
  await all.close();
});

void test("timeline: the card gives way to the panel and to keys", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.time=all");
  const { left, top, width } = await canvasOf(page);
  const shown = () => texts(page, ".mark-card:not([hidden]) strong");
  await page.mouse.move(left + width * 0.2, top + KERNELS);
  assert.deepEqual(await shown(), ["gemm_fwd"]);
  await page.mouse.click(left + width * 0.2, top + KERNELS);
  assert.deepEqual(await shown(), []);
  const now = await canvasOf(page);
  await page.mouse.move(now.left + width * 0.21, now.top + KERNELS);
  assert.deepEqual(await shown(), []);
  await page.mouse.move(now.left + width * 0.75, now.top + KERNELS);
  assert.equal((await shown()).length, 1);
  await page.keyboard.press(".");
  assert.deepEqual(await shown(), []);
  assert.match((await texts(page, ".facts h3"))[0] ?? "", /gelu_kernel/);
  await close();
});

void test("timeline: two fingers zoom around what is between them", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&canvas.time=all");
  const { left, top, width } = await canvasOf(page);
  const [middle, y] = [left + width / 2, top + 60];
  const a = await page.touchscreen.touchStart(middle - 50, y);
  const b = await page.touchscreen.touchStart(middle + 50, y);
  for (const away of [75, 100, 150, 200]) {
    await a.move(middle - away, y);
    await b.move(middle + away, y);
  }
  await a.end();
  await b.end();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 600)));
  const chosen = await fragment(page);
  const [from = NaN, to = NaN] = (chosen.get("canvas.time") ?? "").split("-").map(Number);
  // A quarter of 100 us, around the middle; fingers move one after the other.
  assert.ok(to - from > 20_000 && to - from < 30_000, `${from} to ${to}`);
  assert.ok(Math.abs((from + to) / 2 - 50_000) < 5000, `${from} to ${to}`);
  assert.equal(chosen.get("canvas.mark"), null);
  await close();
});

void test("a line of gaps leads to its longest stretch, f zooms to it", async () => {
  const html = pageOf([madeDocument([STEPS, GAPS]), madeDocument([IDLE, WORK])]);
  const { page, close } = await open(html, "#view=idle");
  await page.click("tbody tr[aria-rowindex='3']");
  await click(page, ".facts button", "The longest in the timeline");
  const { left, top, width } = await canvasOf(page);
  assert.equal((await fragment(page)).get("canvas.mark"), "gaps.1");
  const isThere = async () => {
    await page.mouse.move(left, top - 20);
    // At the left edge, the kernel before the gap.
    await page.mouse.move(left + width * 0.01, top + KERNELS_BELOW_IDLE);
    return (await texts(page, ".mark-card:not([hidden]) strong"))[0]?.includes("gelu");
  };
  assert.equal(await isThere(), true);
  await page.focus("canvas");
  await page.keyboard.press("0");
  await frames(page);
  assert.equal(await isThere(), false);
  await page.keyboard.press("f");
  await frames(page);
  assert.equal(await isThere(), true);
  await close();
});

void test("legend: what is left out is a tap away", async () => {
  const ops = Array.from({ length: 15 }, (_, i) => `op${i}`);
  const groups = madeTable("groups", [
    text("op", ops),
    int("time_ns", ops.map((_, i) => 1000 - i)),
    real("tflop_per_s", ops.map(() => 1)),
    real("intensity", ops.map(() => 1)),
  ]);
  const { page, close } = await open(pageOf([madeDocument([groups])]), "#view=roofline");
  await canvasOf(page);
  assert.equal((await texts(page, ".canvas-legend li")).at(-1), "3 more");
  await page.click(".canvas-legend button");
  assert.deepEqual((await texts(page, ".canvas-legend li")).slice(-2), ["op14", "fewer"]);
  await close();
});

void test("icicle of a comparison: before and after, to one scale", async () => {
  const diff = madeTable("diff", [
    text("change", ["period", "slower", "same"]),
    text("layer", [null, "h.0", "h.1"]),
    text("op", [null, "linear", "linear"]),
    text("dir", [null, "fprop", "fprop"]),
    int("base_ns", [200, 50, 50]),
    int("new_ns", [250, 150, 50]),
    int("diff_ns", [50, 100, 0]),
  ]);
  const { page, close } = await open(pageOf([madeDocument([diff])]), "#view=icicle");
  const { left, top, width } = await canvasOf(page);
  const titleAt = async (x: number, y: number) => {
    await page.mouse.move(left + width * x, top + y);
    await frames(page);
    return (await texts(page, ".mark-card:not([hidden]) strong"))[0];
  };
  // Before is half as wide as after.
  assert.equal(await titleAt(0.2, 20 + 21 * 1.5), "fprop");
  assert.equal(await titleAt(0.8, 20 + 21 * 1.5), undefined);
  const after = 20 + 4 * 21 + 6 + 20;
  assert.equal(await titleAt(0.8, after + 21 * 1.5), "fprop");
  await titleAt(0.2, after + 21 * 2.5);
  assert.ok((await texts(page, ".mark-card dd")).includes("slower"));
  await close();
});
