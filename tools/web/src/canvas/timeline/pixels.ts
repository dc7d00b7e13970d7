// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Marks that are narrower than a pixel, added up by pixel: how much of each pixel they cover, and
// the color that covers most.
import { DIMMED } from "./pyramid";

/** Coverage is drawn in so many shades: neighbors of one shade are one rectangle. */
const SHADES = 8;

export class PixelRow {
  private covered = new Float32Array(0);
  private most = new Float32Array(0);
  private color = new Uint16Array(0);
  private first = 0;
  private last = -1;

  /** Empties it for so many pixels. */
  reset(width: number): void {
    if (this.covered.length < width) {
      this.covered = new Float32Array(width);
      this.most = new Float32Array(width);
      this.color = new Uint16Array(width);
    } else if (this.last >= this.first) {
      this.covered.fill(0, this.first, this.last + 1);
      this.most.fill(0, this.first, this.last + 1);
    }
    [this.first, this.last] = [width, -1];
  }

  /** Marks between two places in pixels that cover `part` of the distance. */
  add(from: number, to: number, part: number, color: number, width: number): void {
    const first = Math.max(0, Math.floor(from));
    const last = Math.min(width - 1, Math.max(Math.floor(from), Math.ceil(to) - 1));
    for (let x = first; x <= last; ++x) {
      const inside = Math.min(to, x + 1) - Math.max(from, x);
      // Never 0: what takes a nanosecond is seen, too.
      this.put(x, Math.max(1e-6, inside * part), color);
    }
  }

  private put(x: number, cover: number, color: number): void {
    if (x < this.first) this.first = x;
    if (x > this.last) this.last = x;
    this.covered[x]! += cover;
    const isBetter = cover > this.most[x]! || this.color[x] === DIMMED;
    if (this.most[x] === 0 || (isBetter && color !== DIMMED)) {
      this.most[x] = cover;
      this.color[x] = color;
    }
  }

  /** Runs of pixels of one color and shade; shades are parts of 1, above 0. */
  runs(see: (x: number, width: number, color: number, shade: number) => void): void {
    let from = this.first;
    while (from <= this.last) {
      const shade = this.shadeAt(from);
      let to = from + 1;
      while (to <= this.last && this.color[to] === this.color[from] && this.shadeAt(to) === shade) {
        ++to;
      }
      if (shade > 0) see(from, to - from, this.color[from]!, shade / SHADES);
      from = to;
    }
  }

  private shadeAt(x: number): number {
    return Math.min(SHADES, Math.ceil(this.covered[x]! * SHADES));
  }
}
