// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names in marks: as much as fits.
import { shortened } from "../text/safe";

const NARROWEST = 24;
const PADDING = 3;
/** Of the font in surface.ts: few texts are wider. */
const CHARACTER = 6.5;

/** Writes the name into the mark, cut to its width. */
export function writeInto(
  context: CanvasRenderingContext2D,
  name: string,
  left: number,
  middle: number,
  width: number,
): void {
  const room = width - 2 * PADDING;
  if (width < NARROWEST) return;
  let most = Math.floor(room / CHARACTER);
  let text = shortened(name, most);
  for (let wide = context.measureText(text).width; wide > room;) {
    most = Math.min(most - 1, Math.floor((text.length * room) / wide));
    if (most < 2) return;
    text = shortened(name, most);
    wide = context.measureText(text).width;
  }
  context.fillText(text, left + PADDING, middle);
}
