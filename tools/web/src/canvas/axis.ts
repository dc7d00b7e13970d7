// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The visible part of an axis: zoom, pan, and where its ticks are. Values are immutable, so a view
// redraws exactly when it holds another one.

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const lengthOf = (span: Span): number => span.to - span.from;

/** Moves and shrinks `span` so that it lies in `whole` and is no shorter than `shortest`. */
export function clamp(span: Span, whole: Span, shortest: number): Span {
  const most = lengthOf(whole);
  const length = Math.min(most, Math.max(Math.min(shortest, most), lengthOf(span)));
  const middle = (span.from + span.to) / 2;
  const from = length === lengthOf(span) ? span.from : middle - length / 2;
  const first = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: first, to: first + length };
}

/** Scales the span by `factor` (under 1: zooms in). `at` keeps its place on the screen. */
export function zoomed(span: Span, factor: number, at: number): Span {
  return { from: at - (at - span.from) * factor, to: at + (span.to - at) * factor };
}

export const panned = (span: Span, by: number): Span => ({
  from: span.from + by,
  to: span.to + by,
});

/** Between two spans; the length changes geometrically, as the eye expects of a zoom. */
export function between(a: Span, b: Span, part: number): Span {
  const [lengthA, lengthB] = [lengthOf(a), lengthOf(b)];
  if (lengthA <= 0 || lengthB <= 0 || Math.abs(lengthA - lengthB) < 1e-9 * lengthA) {
    return { from: a.from + (b.from - a.from) * part, to: a.to + (b.to - a.to) * part };
  }
  const length = lengthA * (lengthB / lengthA) ** part;
  const moved = (length - lengthA) / (lengthB - lengthA);
  const from = a.from + (b.from - a.from) * moved;
  return { from, to: from + length };
}

/** The smallest of 1, 2 and 5 times a power of ten that is at least `least`. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = least / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/** Multiples of a round step, at most one per `leastGap` pixels. */
export function ticks(span: Span, pixels: number, leastGap: number): number[] {
  const length = lengthOf(span);
  if (!(length > 0) || !(pixels > 0)) return [];
  const step = roundStep((length / pixels) * leastGap);
  const first = Math.ceil(span.from / step);
  const last = Math.floor(span.to / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

/** Powers of ten within a span of a logarithmic axis. */
export function decades(span: Span): number[] {
  const first = Math.ceil(Math.log10(span.from) - 1e-9);
  const last = Math.floor(Math.log10(span.to) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
}
