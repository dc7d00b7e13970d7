// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Icicle, roofline and timeline: what they draw, what clicks and keys select, what a link restores.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "puppeteer-core";
import { madeDocument, madeTable, type Cell, type MadeColumn } from "../made_document";
import { open, pageOf, texts } from "./harness";

const HOSTILE = `"><script>document.title = "hit"</script>\u202e`;

const text = (word: string, cells: readonly Cell[]): MadeColumn => ({ word, type: "text", cells });
const int = (word: string, cells: readonly Cell[]): MadeColumn => ({
  word,
  type: "integer",
  cells,
  style: word.endsWith("_ns") ? "time" : "plain",
});
const real = (word: string, cells: readonly Cell[]): MadeColumn => ({ word, type: "real", cells });

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

const PAGE = pageOf([madeDocument([STEPS]), madeDocument([GROUPS]), madeDocument([WORK])]);

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

async function canvasOf(page: Page): Promise<Box> {
  await page.waitForSelector(".canvas-legend li");
  await frames(page);
  return page.$eval("canvas", (canvas) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return { left, top, width, height };
  });
}

/** Until what was asked for is drawn, and a glide has ended. */
async function frames(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 250)));
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

const fragment = async (page: Page): Promise<URLSearchParams> =>
  new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));

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
  const { left, top, width, height } = await canvasOf(page);
  await page.mouse.click(left + width * 0.75, top + height - 14);
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
  assert.equal(await time(), null);
  await close();

  const again = await open(PAGE, "#view=timeline&canvas.time=60000-61000");
  const box = await canvasOf(again.page);
  await again.page.mouse.click(box.left + 5, box.top + box.height - 14);
  assert.equal((await fragment(again.page)).get("canvas.mark"), "work.2");
  await again.close();
});

void test("timeline: a chosen step fills the width", async () => {
  const { page, close } = await open(PAGE, "#view=timeline&step=1");
  const { left, top, width, height } = await canvasOf(page);
  await page.mouse.click(left + width * 0.9, top + height - 14);
  assert.equal((await fragment(page)).get("canvas.mark"), "work.1");
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
