// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A change of the visible part that the eye can follow.
import { between, type Span } from "./axis";

const DURATION_MS = 180;

export class Glide {
  private request = 0;

  constructor(private readonly show: (span: Span) => void) {}

  /** Jumps where the reader wants no motion. */
  start(from: Span, to: Span): void {
    this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.show(to);
      return;
    }
    let begun: number | null = null;
    const step = (now: number): void => {
      begun ??= now;
      const part = Math.min(1, (now - begun) / DURATION_MS);
      this.show(part < 1 ? between(from, to, part * part * (3 - 2 * part)) : to);
      this.request = part < 1 ? requestAnimationFrame(step) : 0;
    };
    this.request = requestAnimationFrame(step);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
  }
}
