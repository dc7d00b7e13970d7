// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How the page copes with many kernels: size, time until it shows something, frames a second while
// the timeline zooms, memory of the tab. Prints a table, never fails for being slow.
//
// usage: node test/bench.mjs [KERNELS...]
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import puppeteer from "puppeteer-core";

const CHUNK = 65_536;
const RANGES = 300_000; // As many as prof-report writes.
const ZOOM_MS = 3000;

const OPS = ["linear", "bias", "gelu", "layer_norm", "bmm", "softmax", "dropout", "add"];
const KERNELS_A_STEP = 1000;

const stream = (bytes) => deflateRawSync(bytes).toString("base64");

/** `valueAt` gives integers below 2^53; negative ones are written as zigzag says. */
function varints(first, rows, valueAt, isSigned) {
  const bytes = Buffer.alloc(rows * 8);
  let size = 0;
  for (let row = first; row < first + rows; ++row) {
    const value = valueAt(row);
    let rest = isSigned ? (value < 0 ? -2 * value - 1 : 2 * value) : value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[size++] = (rest % 128) | 128;
    bytes[size++] = rest;
  }
  return stream(bytes.subarray(0, size));
}

function chunked(rows, make) {
  const chunks = [];
  for (let first = 0; first < rows; first += CHUNK) {
    chunks.push({
      rows: Math.min(CHUNK, rows - first),
      ...make(first, Math.min(CHUNK, rows - first)),
    });
  }
  return chunks;
}

function described(word, type, unit, style) {
  const right = type !== "text";
  return {
    word,
    header: word,
    unit,
    type,
    help: "",
    style,
    decimals: 1,
    grouped: false,
    right,
    place: "cell",
    values: {},
  };
}

function integers(word, rows, valueAt, { unit = "", style = "plain", isDelta = false } = {}) {
  const chunks = chunked(rows, (first, count) => {
    const delta = (row) => valueAt(row) - (row === first ? 0 : valueAt(row - 1));
    const data = varints(first, count, isDelta ? delta : valueAt, true);
    return { encoding: isDelta ? "delta" : "integer", data };
  });
  return { ...described(word, "integer", unit, style), chunks };
}

function texts(word, rows, names, idAt) {
  const chunks = chunked(rows, (first, count) => ({
    encoding: "text",
    data: varints(first, count, (row) => idAt(row) + 1, false),
  }));
  const list = stream(Buffer.from(JSON.stringify(names)));
  return { ...described(word, "text", "", "plain"), texts: list, chunks };
}

function table(name, rows, columns) {
  return {
    name,
    report: name,
    side: null,
    title: `${name}.`,
    missing: "",
    keys: [],
    rows,
    columns,
  };
}

function madeDocument(tables) {
  const traces = [{ name: "made.db", rank: null, host: null, run: null }];
  return {
    format: "prof-columns",
    version: 1,
    prof_version: "0",
    traces,
    tables,
    notes: [],
    warnings: [],
  };
}

/** A fixed sequence that looks like noise. */
function noise(row) {
  const mixed = Math.imul(row ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

function documents(kernels) {
  const start = new Float64Array(kernels);
  const time = new Float64Array(kernels);
  const launched = new Float64Array(kernels);
  for (let row = 0, now = 1_000_000; row < kernels; ++row) {
    time[row] = 1500 + (noise(row) % 40_000);
    start[row] = now;
    launched[row] = now - 5000 - (noise(row + 7) % 1000);
    now += time[row] + (row % 10 === 0 ? 800 + (noise(row + 3) % 20_000) : 700);
  }
  const ns = { unit: "ns", style: "instant", isDelta: true };
  const layers = Array.from(
    { length: 96 },
    (_, i) => `h.${i >> 3}:${i & 4 ? "mlp" : "attn"}:${i & 3}`,
  );
  const shapes = Array.from({ length: 400 }, (_, i) => `M=${64 * i},N=4096,K=1024`);
  const work = table("work", kernels, [
    integers("idx", kernels, (row) => row + 1, { isDelta: true }),
    texts("dir", kernels, ["fprop", "bprop", "update"], (row) =>
      Math.floor((row % KERNELS_A_STEP) / 334),
    ),
    texts("layer", kernels, layers, (row) => Math.floor((row % KERNELS_A_STEP) / 11) % 96),
    texts("op", kernels, OPS, (row) => noise(row % KERNELS_A_STEP) % OPS.length),
    texts("params", kernels, shapes, (row) => noise(row % KERNELS_A_STEP) % shapes.length),
    texts(
      "kernel",
      kernels,
      OPS.map((op) => `${op}_kernel`),
      (row) => noise(row % KERNELS_A_STEP) % OPS.length,
    ),
    texts("bound", kernels, ["memory", "compute", "latency"], (row) => noise(row) % 3),
    integers("time_ns", kernels, (row) => time[row], { unit: "ns", style: "time" }),
    integers("start_ns", kernels, (row) => start[row], ns),
    integers("device", kernels, () => 0),
    integers("stream", kernels, (row) => (row % 50 === 0 ? 13 : 7)),
    integers("thread", kernels, () => 1),
    integers("step", kernels, (row) => Math.floor(row / KERNELS_A_STEP), { isDelta: true }),
    integers("launch_ns", kernels, (row) => launched[row], ns),
  ]);
  const gaps = Math.floor(kernels / 10);
  const idle = table("idle", gaps, [
    texts("cause", gaps, ["launch", "python", "synchronize"], (row) => noise(row) % 3),
    integers("device", gaps, () => 0),
    integers("start_ns", gaps, (row) => start[row * 10] + time[row * 10], ns),
    integers("time_ns", gaps, (row) => start[row * 10 + 1] - start[row * 10] - time[row * 10]),
  ]);
  const count = Math.min(RANGES, kernels);
  const names = Array.from({ length: 200 }, (_, i) => `layer:h.${i}`);
  const from = kernels - count;
  const ranges = table("ranges", count, [
    texts("text", count, names, (row) => noise(row >> 3) % names.length),
    integers("thread", count, () => 1),
    integers("start_ns", count, (row) => launched[from + row] - (row % 4 === 0 ? 400 : 100), ns),
    integers("time_ns", count, (row) => (row % 4 === 0 ? 60_000 : 2500)),
  ]);
  const steps = table("steps", 1, [
    integers("step", 1, () => 0),
    integers("start_ns", 1, () => start[0]),
    integers("period_ns", 1, () => 1_000_000),
  ]);
  return [
    madeDocument([steps]),
    madeDocument([ranges]),
    madeDocument([idle]),
    madeDocument([work]),
  ];
}

function pageOf(docs) {
  const scripts = docs.map(
    (doc, i) =>
      `<script type="application/json" id="prof-columns-${i + 1}">${JSON.stringify(doc)}</script>`,
  );
  return readFileSync(new URL("../built/page.html", import.meta.url), "utf8")
    .replace("<!--prof:title-->", "made")
    .replace("<!--prof:first-->", () => scripts[0])
    .replace("<!--prof:rest-->", () => scripts.slice(1).join("\n"));
}

/** When the page has shown its first text. Runs in the page. */
function firstPaint() {
  return new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const entry = list.getEntriesByName("first-contentful-paint")[0];
      if (entry) resolve(entry.startTime);
    }).observe({ type: "paint", buffered: true });
  });
}

/** Zooms in and out with the wheel, an event a frame. Runs in the page. */
async function zoom(duration) {
  const canvas = document.querySelector("canvas");
  canvas.focus();
  const { width } = canvas.getBoundingClientRect();
  let scripting = 0;
  const original = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    original((now) => {
      const begun = performance.now();
      callback(now);
      scripting += performance.now() - begun;
    });
  const intervals = [];
  const begun = performance.now();
  let last = begun;
  for (let frame = 0; last - begun < duration; ++frame) {
    // 60 frames in, 60 out.
    const deltaY = frame % 120 < 60 ? -60 : 60;
    const at = { offsetX: width * 0.6, deltaY, cancelable: true, clientX: width * 0.6 };
    canvas.dispatchEvent(new WheelEvent("wheel", at));
    await new Promise((resolve) => original(resolve));
    const now = performance.now();
    intervals.push(now - last);
    last = now;
  }
  window.requestAnimationFrame = original;
  intervals.sort((a, b) => a - b);
  return {
    fps: (1000 * intervals.length) / (last - begun),
    worst: intervals[Math.floor(intervals.length * 0.95)],
    drawing: scripting / intervals.length,
  };
}

/** Of the largest renderer below a process, in MB. */
function rendererMemory(parent) {
  let most = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes("--type=renderer") || !command.includes(parent)) continue;
      const [, kib] =
        /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
      most = Math.max(most, Number(kib ?? 0) / 1024);
    } catch {
      // It has ended.
    }
  }
  return most;
}

async function measure(kernels, folder) {
  const path = join(folder, `made-${kernels}.html`);
  writeFileSync(path, pageOf(documents(kernels)));
  const profile = mkdtempSync(join(folder, "browser-"));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--enable-precise-memory-info"],
    userDataDir: profile,
  });
  try {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(String(error)));
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`file://${path}`);
    const paint = await page.evaluate(firstPaint);
    await page.goto("about:blank");
    await page.goto(`file://${path}#view=timeline`);
    await page.waitForSelector(".canvas-legend li");
    const shown = await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now()))),
    );
    const { fps, worst, drawing } = await page.evaluate(zoom, ZOOM_MS);
    const memory = rendererMemory(profile);
    return { MB: statSync(path).size / 1e6, paint, shown, fps, worst, drawing, memory };
  } finally {
    await browser.close();
  }
}

const counts = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), "prof-bench-"));
try {
  console.log(
    "| kernels | file | first paint | timeline shown | frames/s | 95 % of frames under |" +
      " drawing a frame | tab |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const kernels of counts.length > 0 ? counts : [1_000, 100_000, 1_000_000]) {
    const { MB, paint, shown, fps, worst, drawing, memory } = await measure(kernels, folder);
    console.log(
      `| ${kernels.toLocaleString("en")} | ${MB.toFixed(1)} MB | ${paint.toFixed(0)} ms |` +
        ` ${shown.toFixed(0)} ms | ${fps.toFixed(0)} | ${worst.toFixed(0)} ms |` +
        ` ${drawing.toFixed(1)} ms | ${memory.toFixed(0)} MB |`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
