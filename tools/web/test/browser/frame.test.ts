// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// In a notebook the page is in a sandboxed frame: it has no address and no origin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { madeDocument, madeTable } from "../made_document";
import { click, openFrame, pageOf, tableRows } from "./harness";

void test("the page works in a frame without an address", async () => {
  const steps = madeTable("steps", [
    { word: "step", type: "integer", cells: [1, 2] },
    { word: "period_ns", type: "integer", style: "time", unit: "ns", cells: [1e6, 2e6] },
  ]);
  const { frame, close } = await openFrame(pageOf([madeDocument([steps])]));
  await click(frame, "nav a", "Steps");
  await frame.click(".strip li:nth-child(2) button");
  assert.deepEqual(await tableRows(frame, "steps"), [["2", "2.00"]]);
  await close();
});
