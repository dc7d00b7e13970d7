// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All facts of the selected mark, below the picture.
import { printable, shortened } from "../../text/safe";
import type { Facts } from "../card";

/** Longer values are attacks on the page: they end in "…". Names of kernels are wrapped. */
const LONGEST = 2000;

export class FactsPanel {
  private readonly element = document.createElement("section");
  private readonly heading = document.createElement("h3");
  private readonly list = document.createElement("dl");

  constructor(host: HTMLElement) {
    this.element.className = "facts";
    this.element.hidden = true;
    this.element.append(this.heading, this.list);
    host.append(this.element);
  }

  /** Where it is on the screen; Infinity: it is not. */
  get top(): number {
    return this.element.hidden ? Infinity : this.element.getBoundingClientRect().top;
  }

  show(facts: Facts | null): void {
    this.element.hidden = facts === null;
    if (!facts) return;
    this.heading.textContent = printable(facts.title);
    this.list.replaceChildren(
      ...facts.lines.map(([label, value]) => {
        const name = document.createElement("dt");
        name.textContent = label;
        const text = document.createElement("dd");
        text.textContent = shortened(value, LONGEST);
        if (value.length > LONGEST) text.title = printable(value);
        const pair = document.createElement("div");
        pair.append(name, text);
        return pair;
      }),
    );
  }
}
