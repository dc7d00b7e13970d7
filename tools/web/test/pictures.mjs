// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a page's views for docs/images.
//
// usage: node test/pictures.mjs PAGE.html OUTPUT.webp [FRAGMENT [WIDTH [light|dark [HEIGHT]]]]
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [file, output, fragment = "", width = "1280", scheme = "light", height = "800"] =
  process.argv.slice(2);
if (!file || !output || !existsSync(file)) {
  console.error(`no page ${file ?? ""}; usage: pictures.mjs PAGE.html OUTPUT.webp [FRAGMENT ...]`);
  process.exit(2);
}
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
await page.setViewport({ width: Number(width), height: Number(height) });
await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
await page.goto(`${pathToFileURL(resolve(file))}${fragment}`);
await page.waitForFunction(
  () => document.querySelector("main") && !document.querySelector(".waiting"),
);
await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 300)));
await page.screenshot({ path: output, type: "webp", quality: 60 });
await browser.close();
