// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines between marks that belong together: a launch and its kernel, a collective on all its ranks.
import type { Table } from "../../data/model";
import { lengthOf, type Span } from "../axis";
import type { Frame } from "../surface";
import { AXIS, extentOf, spotOf, type Hit, type Layout, type Spot } from "./layout";
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

/** From the launching calls to the work, in the coordinates of the layout: of all that is seen, if
 *  that is not too much, and of what is pointed at. */
export function arrowsTo(
  seen: readonly SeenMark[],
  pointedAt: readonly (Hit | null)[],
  layout: Layout,
  span: Span,
  width: number,
): Line[] {
  const hits = pointedAt.filter((hit) => hit?.track.kind === "work") as Hit[];
  const marks: readonly Pick<SeenMark, "track" | "row" | "top" | "height">[] = [
    ...(seen.length > MOST_ARROWS ? [] : seen),
    ...hits.flatMap((hit) => {
      const extent = extentOf(layout, hit.lane);
      return extent ? [{ ...hit, ...extent }] : [];
    }),
  ];
  const scale = width / lengthOf(span);
  return marks.flatMap(({ track, row, top, height }) => {
    const spot = launchSpot(layout, track, row);
    if (!spot) return [];
    const { pyramid } = spot.lane;
    // Threads stand below the GPUs of their rank, and above those of the next one.
    const isBelow = spot.top > top;
    return {
      fromX: (pyramid.start(spot.mark) - span.from) * scale,
      fromY: isBelow ? spot.top : spot.top + spot.placed.laneHeight - 1,
      toX: (numbersOf(track.table, "start_ns")[row]! - span.from) * scale,
      toY: isBelow ? top + height : top,
    };
  });
}

function launchSpot(layout: Layout, track: Track, row: number): Spot | null {
  const launched = track.table.number("launch_ns", row);
  const thread = track.table.number("thread", row);
  if (Number.isNaN(launched)) return null;
  const isPlace = (place: Place) =>
    place.trace === track.place.trace && Object.is(place.thread, thread);
  return spotOf(layout, "calls", isPlace, launched);
}

/** A collective: one end on each rank that has a trace, in the order of the ranks. */
export type RankLink = readonly Spot[];

/** `collectives` has a line for each kernel of a collective, with a number that all its ranks
 *  share. */
export function rankLinks(collectives: Table, layout: Layout): RankLink[] {
  const number = numbersOf(collectives, "collective");
  const [start, device, stream] = ["start_ns", "device", "stream"].map((word) =>
    numbersOf(collectives, word),
  ) as [Float64Array, Float64Array, Float64Array];
  const traces = collectives.column("trace");
  const links = new Map<number, Spot[]>();
  for (let row = 0; row < collectives.rows; ++row) {
    const trace = traces?.text(row) ?? "";
    const isPlace = (place: Place) =>
      (place.trace === trace || place.trace === "") &&
      place.device === device[row] &&
      place.stream === stream[row];
    const spot = spotOf(layout, "work", isPlace, start[row]!);
    if (!spot) continue;
    const spots = links.get(number[row]!);
    if (spots) spots.push(spot);
    else links.set(number[row]!, [spot]);
  }
  return [...links.values()]
    .filter((spots) => spots.length > 1)
    .map((spots) => spots.sort((a, b) => a.top - b.top))
    .sort((a, b) => startOf(a) - startOf(b));
}

const startOf = (link: RankLink): number => {
  const [first] = link;
  return first ? first.lane.pyramid.start(first.mark) : NaN;
};

/** From the starts on one rank to those on the next: who comes late is seen by the slope. Both
 *  ends of the kernels, so that a collective is a band. */
export function paintLinks(
  frame: Frame,
  links: readonly RankLink[],
  span: Span,
  scroll: number,
): void {
  const { context, width, theme } = frame;
  const scale = width / lengthOf(span);
  const visible = links.filter((link) => link.some((spot) => isVisible(spot, span)));
  if (visible.length > MOST_LINKS) return;
  context.save();
  clip(frame, scroll);
  context.fillStyle = theme.ink;
  context.strokeStyle = theme.ink;
  for (const link of visible) {
    for (let i = 1; i < link.length; ++i) {
      const [above, below] = [link[i - 1]!, link[i]!];
      const x = (spot: Spot, end: boolean) =>
        ((end ? spot.lane.pyramid.end(spot.mark) : spot.lane.pyramid.start(spot.mark)) -
          span.from) *
        scale;
      const [top, bottom] = [above.top + above.placed.laneHeight - 1, below.top];
      context.beginPath();
      context.moveTo(x(above, false), top);
      context.lineTo(x(above, true), top);
      context.lineTo(x(below, true), bottom);
      context.lineTo(x(below, false), bottom);
      context.closePath();
      context.globalAlpha = 0.12;
      context.fill();
      context.globalAlpha = 0.5;
      context.stroke();
    }
  }
  context.restore();
}

/** More than these are a gray area. */
const MOST_LINKS = 300;

function isVisible({ lane: { pyramid }, mark }: Spot, span: Span): boolean {
  return pyramid.end(mark) >= span.from && pyramid.start(mark) < span.to;
}

function clip({ context, width, height }: Frame, scroll: number): void {
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, -scroll);
}

export function paintLines(frame: Frame, lines: readonly Line[], scroll: number): void {
  const { context, theme } = frame;
  context.save();
  clip(frame, scroll);
  context.strokeStyle = theme.ink;
  context.fillStyle = theme.ink;
  context.lineWidth = 1;
  context.globalAlpha = 0.45;
  for (const { fromX, fromY, toX, toY } of lines) {
    const middle = (fromY + toY) / 2;
    const back = Math.sign(fromY - toY);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.bezierCurveTo(fromX, middle, toX, middle, toX, toY + 4 * back);
    context.stroke();
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 3, toY + 5 * back);
    context.lineTo(toX + 3, toY + 5 * back);
    context.fill();
  }
  context.restore();
}
