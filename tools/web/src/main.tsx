// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Starts the page. The documents before the code are small, and painted before those behind it
// are even read.
import { render } from "preact";
import { App } from "./app";
import { parseDocument } from "./data/document";
import { Model } from "./data/model";
import { mirrorInFragment } from "./state/fragment";
import { Store } from "./state/store";

const model = new Model();
const store = new Store();

function readDocument(element: Element): void {
  const text = element.textContent;
  element.remove();
  try {
    model.add(parseDocument(text));
  } catch (error) {
    model.addError(error instanceof Error ? error.message : String(error));
  }
}

function nextDocument(): Element | null {
  return document.querySelector("script[id^=prof-columns-]");
}

/** One at a time, so that the page answers in between. */
function readRest(): void {
  const element = nextDocument();
  if (!element) {
    model.complete();
    return;
  }
  readDocument(element);
  setTimeout(readRest);
}

for (let element = nextDocument(); element; element = nextDocument()) readDocument(element);
mirrorInFragment(store, window);
const place = document.getElementById("page");
if (place) {
  place.textContent = "";
  render(<App model={model} store={store} />, place);
}
document.addEventListener("DOMContentLoaded", () => {
  requestAnimationFrame(() => setTimeout(readRest));
});
