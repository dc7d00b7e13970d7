// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pages in a browser. Whatever a page writes to the console, or asks of the network, fails the
// test.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import puppeteer, { type Browser, type Frame, type Page } from "puppeteer-core";
import type { DocumentData } from "../../src/data/document";
import { documentScript } from "../made_document";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function browserPath(): string {
  const path = process.env["CHROMIUM"] ?? BROWSERS.find((one) => existsSync(one));
  if (!path) throw new Error("no browser: apt-get install chromium, or set CHROMIUM to one");
  return path;
}

const folder = mkdtempSync(join(tmpdir(), "prof-page-"));
let browser: Promise<Browser> | null = null;

after(async () => {
  await (await browser)?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page as prof-report --html writes it: the first document before the code, others behind. */
export function pageOf(documents: readonly DocumentData[]): string {
  const scripts = documents.map((document, i) => documentScript(document, i + 1));
  // Functions, as texts may have "$&".
  return readFileSync("built/page.html", "utf8")
    .replace("<!--prof:title-->", "page of a test")
    .replace("<!--prof:first-->", () => scripts[0] ?? "")
    .replace("<!--prof:rest-->", () => scripts.slice(1).join("\n"));
}

export interface OpenPage {
  readonly page: Page;
  /** What the page has said or done that it must not. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

let count = 0;

/** Opens a page from a file, as from a mail. `before` runs in the page before its code. */
export async function open(
  html: string,
  fragment = "",
  before: () => void = () => undefined,
): Promise<OpenPage> {
  const opened = await openFile(html, fragment, before);
  await ready(opened.page);
  return opened;
}

/** Opens a page in a frame of another one, as in a notebook. */
export async function openFrame(html: string): Promise<OpenPage & { readonly frame: Frame }> {
  const inside = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const opened = await openFile(`<iframe sandbox="allow-scripts" srcdoc="${inside}"></iframe>`);
  const frame = await (await opened.page.waitForSelector("iframe"))?.contentFrame();
  assert.ok(frame);
  await ready(frame);
  return { ...opened, frame };
}

async function openFile(
  html: string,
  fragment = "",
  before: () => void = () => undefined,
): Promise<OpenPage> {
  browser ??= puppeteer.launch({ executablePath: browserPath(), args: ["--no-sandbox"] });
  const page = await (await browser).newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const faults: string[] = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${String(error)}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) faults.push(`request: ${request.url().slice(0, 100)}`);
  });
  await page.evaluateOnNewDocument(before);
  const path = join(folder, `page${++count}.html`);
  writeFileSync(path, html);
  await page.goto(`file://${path}${fragment}`);
  return {
    page,
    faults,
    close: async () => {
      await page.close();
      assert.deepEqual(faults, []);
    },
  };
}

/** Until all documents are read. */
export async function ready(page: Page | Frame): Promise<void> {
  await page.waitForFunction(
    () => document.querySelector("main") && !document.querySelector(".waiting"),
  );
}

/** Texts of all elements that match. */
export function texts(page: Page | Frame, selector: string): Promise<string[]> {
  return page.$$eval(selector, (elements) => elements.map(({ textContent }) => textContent));
}

/** The table of a report: a list of texts for each row in sight. */
export function tableRows(page: Page | Frame, report: string): Promise<string[][]> {
  return page.$$eval(
    "section.table",
    (sections, wanted) => {
      const table = sections.find((one) => one.querySelector("h2")?.textContent.startsWith(wanted));
      const rows = [...(table?.querySelectorAll("tbody tr[aria-rowindex]") ?? [])];
      return rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent));
    },
    report,
  );
}

/** Clicks the first element that matches and has this text. */
export async function click(page: Page | Frame, selector: string, text: string): Promise<void> {
  const isThere = await page.$$eval(
    selector,
    (elements, wanted) => {
      const found = elements.find(({ textContent }) => textContent.includes(wanted));
      (found as HTMLElement | undefined)?.click();
      return found !== undefined;
    },
    text,
  );
  assert.ok(isThere, `nothing says ${text} among ${selector}`);
  await page.evaluate(() => new Promise(requestAnimationFrame));
}
