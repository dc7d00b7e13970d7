// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines between marks that belong together: a launch and its kernel, a collective on all its ranks.
import { lengthOf, type Span } from "../axis";
import type { Frame } from "../surface";
import { AXIS, spotOf, type Layout, type Spot } from "./layout";
import type { SeenMark } from "./paint";
import { numbersOf, type Place, type Track } from "./scene";

/** More than these cover what they explain. */
const MOST_ARROWS = 120;

export interface Line {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

/** From the launching calls to the work, in the coordinates of the layout. */
export function arrowsTo(
  marks: readonly SeenMark[],
  layout: Layout,
  span: Span,
  width: number,
): Line[] {
  if (marks.length > MOST_ARROWS) return [];
  const scale = width / lengthOf(span);
  return marks.flatMap(({ track, row, top }) => {
    const spot = launchSpot(layout, track, row);
    if (!spot) return [];
    const { pyramid } = spot.lane;
    return {
      fromX: (pyramid.start(spot.mark) - span.from) * scale,
      fromY: spot.top + spot.placed.laneHeight - 1,
      toX: (numbersOf(track.table, "start_ns")[row]! - span.from) * scale,
      toY: top,
    };
  });
}

export function launchSpot(layout: Layout, track: Track, row: number): Spot | null {
  const launched = track.table.number("launch_ns", row);
  const thread = track.table.number("thread", row);
  if (Number.isNaN(launched)) return null;
  const isPlace = (place: Place) =>
    place.trace === track.place.trace && Object.is(place.thread, thread);
  return spotOf(layout, "calls", isPlace, launched);
}

export function paintLines(frame: Frame, lines: readonly Line[], scroll: number): void {
  const { context, width, height, theme } = frame;
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, -scroll);
  context.strokeStyle = theme.ink;
  context.fillStyle = theme.ink;
  context.lineWidth = 1;
  context.globalAlpha = 0.45;
  for (const { fromX, fromY, toX, toY } of lines) {
    const middle = (fromY + toY) / 2;
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.bezierCurveTo(fromX, middle, toX, middle, toX, toY - 4);
    context.stroke();
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 3, toY - 5);
    context.lineTo(toX + 3, toY - 5);
    context.fill();
  }
  context.restore();
}
