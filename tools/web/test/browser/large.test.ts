// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable } from "../made_document";
import { click, open, pageOf, tableRows } from "./harness";

const ROWS = 400_000;

void test("a table higher than browsers draw: its first and its last row", async () => {
  const cells = Array.from({ length: ROWS }, (_, row) => row);
  const work = madeTable("work", [{ word: "idx", type: "integer", cells, isDelta: true }]);
  const { page, close } = await open(pageOf([madeDocument([work])]), "#view=kernels");
  const rows = async () => (await tableRows(page, "work")).map(([idx]) => idx);
  assert.equal((await rows())[0], "0");
  await page.focus(".scroller");
  await page.keyboard.press("End");
  await page.waitForFunction(
    (last) => document.querySelector(".scroller")?.textContent.includes(last),
    {},
    String(ROWS - 1),
  );
  assert.equal((await rows()).at(-1), String(ROWS - 1));
  assert.ok((await rows()).length < 50);
  await click(page, "th button", "idx");
  await page.$eval(".scroller", (one) => (one.scrollTop = 0));
  await page.waitForFunction(
    (last) => document.querySelector(".scroller td bdi")?.textContent === last,
    {},
    String(ROWS - 1),
  );
  await close();
});
