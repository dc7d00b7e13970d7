// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of canvas views share: columns of made tables, and where a canvas is.
import type { Page } from "puppeteer-core";
import type { Cell, MadeColumn } from "../made_document";

type Cells = readonly Cell[];

export const text = (word: string, cells: Cells): MadeColumn => ({ word, type: "text", cells });
export const int = (word: string, cells: Cells): MadeColumn => ({
  word,
  type: "integer",
  cells,
  style: word.endsWith("_ns") ? "time" : "plain",
});
export const real = (word: string, cells: Cells): MadeColumn => ({ word, type: "real", cells });

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export async function canvasOf(page: Page): Promise<Box> {
  await page.waitForSelector(".canvas-legend li");
  await frames(page);
  return page.$eval("canvas", (canvas) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return { left, top, width, height };
  });
}

/** Until what was asked for is drawn, and a glide has ended. */
export async function frames(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 250)));
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

export const fragment = async (page: Page): Promise<URLSearchParams> =>
  new URLSearchParams((await page.evaluate(() => location.hash)).slice(1));
