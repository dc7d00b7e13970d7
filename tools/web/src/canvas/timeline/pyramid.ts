// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The marks of one lane (kernels of a stream, ranges of one depth), in the order of their starts,
// below a pyramid of blocks: each has the first start and last end of eight blocks or marks, how
// long these take, and which color takes longest. A walk from the top stops at blocks narrower than
// a pixel, so it costs what the screen shows, not what the lane holds.
import type { Span } from "../axis";

const FANOUT = 8;

/** Color 0 is that of what is not selected: it shows only where nothing else is. */
export const DIMMED = 0;

interface Level {
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly busy: Float64Array;
  readonly color: Uint16Array;
}

export interface MarkSink {
  /** A mark at least a pixel wide. */
  mark(index: number, start: number, end: number, color: number): void;
  /** Marks that share a pixel or two: how long they take together, and their main color. */
  block(start: number, end: number, busy: number, color: number): void;
}

export class Pyramid {
  private readonly levels: Level[];

  /** Marks ordered by start that do not overlap. Keeps the arrays. */
  constructor(start: Float64Array, end: Float64Array) {
    const busy = start.map((from, i) => end[i]! - from);
    this.levels = [{ start, end, busy, color: new Uint16Array(start.length) }];
    for (let below = this.levels[0]!; below.start.length > 1; below = this.levels.at(-1)!) {
      this.levels.push(gather(below));
    }
  }

  get length(): number {
    return this.levels[0]!.start.length;
  }
  start(index: number): number {
    return this.levels[0]!.start[index]!;
  }
  end(index: number): number {
    return this.levels[0]!.end[index]!;
  }
  color(index: number): number {
    return this.levels[0]!.color[index]!;
  }

  /** From the start of the first mark to the end of the last one. */
  get whole(): Span {
    const { start, end } = this.levels.at(-1)!;
    return { from: start[0] ?? Infinity, to: end[0] ?? -Infinity };
  }

  /** Gives each mark the color of its row. */
  recolor(rows: Uint32Array, colors: Uint16Array): void {
    const { color } = this.levels[0]!;
    for (let i = 0; i < color.length; ++i) color[i] = colors[rows[i]!]!;
    for (let i = 1; i < this.levels.length; ++i) gatherColors(this.levels[i - 1]!, this.levels[i]!);
  }

  /** Everything in [from, to), with one call per mark or block that a pixel can tell apart. */
  walk(from: number, to: number, nsPerPixel: number, sink: MarkSink): void {
    if (this.length > 0) this.walkFrom(this.levels.length - 1, 0, from, to, nsPerPixel, sink);
  }

  private walkFrom(
    depth: number,
    index: number,
    from: number,
    to: number,
    nsPerPixel: number,
    sink: MarkSink,
  ): void {
    const level = this.levels[depth]!;
    const start = level.start[index]!;
    const end = level.end[index]!;
    // A mark of no length is visible, too.
    if (end < from || start >= to) return;
    if (end - start < nsPerPixel) {
      sink.block(start, end, level.busy[index]!, level.color[index]!);
    } else if (depth === 0) {
      sink.mark(index, start, end, level.color[index]!);
    } else {
      const below = this.levels[depth - 1]!.start.length;
      const last = Math.min(below, (index + 1) * FANOUT);
      for (let i = index * FANOUT; i < last; ++i) {
        this.walkFrom(depth - 1, i, from, to, nsPerPixel, sink);
      }
    }
  }

  /** Index of the first mark that starts after `time`. */
  after(time: number): number {
    const { start } = this.levels[0]!;
    let low = 0;
    let high = start.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (start[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether a mark is in [from, to). */
  hasIn({ from, to }: Span): boolean {
    const last = this.after(to) - 1;
    return last >= 0 && this.end(last) >= from;
  }

  /** The mark at `time`, or else the nearest one at most `slack` away; -1 if there is none. */
  find(time: number, slack: number): number {
    const next = this.after(time);
    const before = next - 1;
    const behind = before < 0 ? Infinity : Math.max(0, time - this.end(before));
    const ahead = next < this.length ? this.start(next) - time : Infinity;
    if (Math.min(behind, ahead) > slack) return -1;
    return behind <= ahead ? before : next;
  }
}

function gather(below: Level): Level {
  const count = Math.ceil(below.start.length / FANOUT);
  const level = {
    start: new Float64Array(count),
    end: new Float64Array(count),
    busy: new Float64Array(count),
    color: new Uint16Array(count),
  };
  for (let i = 0; i < count; ++i) {
    const first = i * FANOUT;
    const last = Math.min(below.start.length, first + FANOUT) - 1;
    level.start[i] = below.start[first]!;
    level.end[i] = below.end[last]!;
    for (let j = first; j <= last; ++j) level.busy[i]! += below.busy[j]!;
  }
  return level;
}

/** Of the blocks below, the color with the longest time. Higher up, that of the largest part. */
function gatherColors(below: Level, level: Level): void {
  for (let i = 0; i < level.color.length; ++i) {
    const first = i * FANOUT;
    const last = Math.min(below.color.length, first + FANOUT);
    let best = DIMMED;
    let most = -1;
    for (let j = first; j < last; ++j) {
      const color = below.color[j]!;
      if (color === DIMMED || color === best) continue;
      let sum = 0;
      for (let k = j; k < last; ++k) if (below.color[k] === color) sum += below.busy[k]!;
      if (sum > most) [most, best] = [sum, color];
    }
    level.color[i] = best;
  }
}
