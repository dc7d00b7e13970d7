// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The line above a canvas: choices, buttons, and what the colors mean.
import { shortened } from "../text/safe";

export interface Option {
  readonly value: string;
  readonly text: string;
}

export class Controls {
  readonly element = document.createElement("div");

  constructor(host: HTMLElement) {
    this.element.className = "canvas-tools";
    host.append(this.element);
  }

  choice(
    label: string,
    options: readonly Option[],
    chosen: string | undefined,
    onChange: (value: string) => void,
  ): void {
    const select = document.createElement("select");
    for (const { value, text } of options) {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      option.selected = value === chosen;
      select.append(option);
    }
    select.addEventListener("change", () => onChange(select.value));
    const frame = document.createElement("label");
    frame.append(`${label} `, select);
    this.element.append(frame);
  }

  button(text: string, help: string, onClick: () => void): void {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.title = help;
    button.addEventListener("click", onClick);
    this.element.append(button);
  }

  note(text: string): void {
    const note = document.createElement("small");
    note.textContent = text;
    this.element.append(note);
  }

  /** What does not fit into a line: it unfolds. */
  help(brief: string, lines: readonly string[]): void {
    const summary = document.createElement("summary");
    summary.textContent = brief;
    const list = document.createElement("ul");
    for (const line of lines) {
      const item = document.createElement("li");
      item.textContent = line;
      list.append(item);
    }
    const details = document.createElement("details");
    details.className = "canvas-help";
    details.append(summary, list);
    this.element.append(details);
  }
}

export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly isHatched?: boolean;
}

/** Most entries that help more than they disturb; a click shows the rest. */
const MOST_ENTRIES = 12;

export class Legend {
  private readonly element = document.createElement("ul");
  private isOpen = false;

  constructor(host: HTMLElement) {
    this.element.className = "canvas-legend";
    this.element.setAttribute("aria-label", "colors");
    host.append(this.element);
  }

  show(entries: readonly LegendEntry[]): void {
    const most = this.isOpen ? entries.length : MOST_ENTRIES;
    const shown = entries.slice(0, most).map(({ name, color, isHatched }) => {
      const swatch = document.createElement("span");
      swatch.style.backgroundColor = color;
      swatch.classList.toggle("hatched", isHatched === true);
      const item = document.createElement("li");
      item.append(swatch, shortened(name, 30));
      return item;
    });
    if (entries.length > MOST_ENTRIES) {
      shown.push(this.toggle(entries));
    }
    this.element.replaceChildren(...shown);
  }

  private toggle(entries: readonly LegendEntry[]): HTMLLIElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link more";
    button.textContent = this.isOpen ? "fewer" : `${entries.length - MOST_ENTRIES} more`;
    button.setAttribute("aria-expanded", String(this.isOpen));
    button.addEventListener("click", () => {
      this.isOpen = !this.isOpen;
      this.show(entries);
      this.element.querySelector<HTMLElement>("button")?.focus();
    });
    const item = document.createElement("li");
    item.append(button);
    return item;
  }
}
