// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The limits as a list below the picture: for screen readers, and where a name has no room in it.
import { printable } from "../../text/safe";
import { limitText } from "./names";
import type { Roof } from "./points";

const ABOUT =
  "Limits, of dense arithmetic, at the clocks that ran; on CUDA cores, types of 16 bits or fewer " +
  "count as float32:";

export class Limits {
  private readonly element = document.createElement("div");
  private readonly list = document.createElement("ul");

  constructor(host: HTMLElement) {
    this.element.className = "canvas-limits";
    this.element.hidden = true;
    this.list.setAttribute("aria-label", "limits");
    this.element.append(ABOUT, this.list);
    host.append(this.element);
  }

  show(roofs: readonly Roof[]): void {
    this.element.hidden = roofs.length === 0;
    this.list.replaceChildren(
      ...roofs.map((roof) => {
        const item = document.createElement("li");
        item.textContent = printable(limitText(roof));
        return item;
      }),
    );
  }
}
