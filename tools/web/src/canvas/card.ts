// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The card beside the pointer: the facts of what is under it. The same text goes to screen readers.
import { shortened } from "../text/safe";

export interface Facts {
  readonly title: string;
  readonly lines: readonly (readonly [label: string, value: string])[];
}

const LONGEST_TITLE = 300;
const LONGEST_VALUE = 200;
const GAP = 14;

export class Card {
  private readonly element = document.createElement("div");
  private shown: Facts | null = null;

  /** `host` is what the card is placed in; it must be positioned. */
  constructor(private readonly host: HTMLElement) {
    this.element.className = "mark-card";
    this.element.hidden = true;
    this.element.setAttribute("role", "status");
    host.append(this.element);
  }

  /** `x` and `y` are relative to the host. What is below `floor` on the screen is not covered. */
  show(facts: Facts, x: number, y: number, floor = Infinity): void {
    if (facts !== this.shown) this.fill(facts);
    this.shown = facts;
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const isRoomRight = x + GAP + width <= this.host.clientWidth;
    const left = isRoomRight ? x + GAP : Math.max(0, x - GAP - width);
    // Below the pointer, so that it does not cover what it is about.
    const bottom = this.host.getBoundingClientRect().top + y + GAP + height;
    const isRoomBelow = bottom <= Math.min(innerHeight, floor);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${isRoomBelow ? y + GAP : y - GAP - height}px`;
  }

  hide(): void {
    this.element.hidden = true;
    this.shown = null;
  }

  private fill({ title, lines }: Facts): void {
    const heading = document.createElement("strong");
    heading.textContent = shortened(title, LONGEST_TITLE);
    const list = document.createElement("dl");
    for (const [label, value] of lines) {
      const name = document.createElement("dt");
      name.textContent = label;
      const text = document.createElement("dd");
      text.textContent = shortened(value, LONGEST_VALUE);
      list.append(name, text);
    }
    this.element.replaceChildren(heading, list);
  }
}
