// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the roofs and the points below them.
import { decades, lengthOf, type Span } from "../axis";
import type { Frame } from "../surface";
import { boxAround, freePlace, roofText, type Box } from "./names";
import { rateUnder, type Disc, type Point, type Roof } from "./points";

export interface LookPoint {
  readonly point: Point;
  readonly radius: number;
  readonly color: string;
  readonly isMeant: boolean;
}

export interface RooflineLook {
  /** Decimal logarithms of intensity and rate. */
  readonly x: Span;
  readonly y: Span;
  readonly roofs: readonly Roof[];
  readonly points: readonly LookPoint[];
  readonly hover: number;
}

export type PlacedPoint = Disc;

const TOP = 14;
const BOTTOM = 34;

class Place {
  constructor(
    private readonly frame: Frame,
    private readonly look: RooflineLook,
  ) {}

  x(intensity: number): number {
    const { x } = this.look;
    return ((Math.log10(intensity) - x.from) * this.frame.width) / lengthOf(x);
  }

  y(rate: number): number {
    const { y } = this.look;
    const height = this.frame.height - TOP - BOTTOM;
    return TOP + height - ((Math.log10(rate) - y.from) * height) / lengthOf(y);
  }
}

/** Returns where the points are. */
export function paintRoofline(frame: Frame, look: RooflineLook): PlacedPoint[] {
  const place = new Place(frame, look);
  paintGrid(frame, look, place);
  const widest = look.roofs.find((roof) => roof.kind === "bandwidth");
  const highest = look.roofs.find((roof) => roof.kind === "peak");
  for (const roof of look.roofs) paintRoof(frame, look, place, roof, widest, highest);
  const discs = look.points.map(({ point, radius }) => ({
    x: place.x(point.intensity),
    y: place.y(point.rate),
    radius,
  }));
  frame.context.save();
  frame.context.beginPath();
  frame.context.rect(0, 0, frame.width, frame.height - BOTTOM);
  frame.context.clip();
  look.points.forEach(({ color, isMeant }, i) => {
    const disc = discs[i];
    if (disc) paintDisc(frame, disc, color, isMeant, i === look.hover);
  });
  frame.context.restore();
  // On top: what is read must not be covered.
  paintScales(frame, look, place);
  paintRoofNames(frame, look, place, widest, highest);
  return discs;
}

function paintGrid(frame: Frame, { x, y }: RooflineLook, place: Place): void {
  const { context, width, height, theme } = frame;
  context.strokeStyle = theme.line;
  context.fillStyle = theme.faint;
  context.lineWidth = 1;
  context.beginPath();
  for (const intensity of decades({ from: 10 ** x.from, to: 10 ** x.to })) {
    const at = Math.round(place.x(intensity)) + 0.5;
    context.moveTo(at, TOP);
    context.lineTo(at, height - BOTTOM);
  }
  for (const rate of decades({ from: 10 ** y.from, to: 10 ** y.to })) {
    const at = Math.round(place.y(rate)) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
  }
  context.stroke();
}

function paintScales(frame: Frame, { x, y }: RooflineLook, place: Place): void {
  const { context, width, height, theme } = frame;
  context.fillStyle = theme.faint;
  for (const intensity of decades({ from: 10 ** x.from, to: 10 ** x.to })) {
    context.fillText(powerText(intensity), place.x(intensity) + 3, height - BOTTOM + 10);
  }
  for (const rate of decades({ from: 10 ** y.from, to: 10 ** y.to })) {
    writeOnGround(frame, powerText(rate), 4, place.y(rate) - 8);
  }
  writeOnGround(frame, "TFLOP/s", 4, 6);
  context.textAlign = "right";
  context.fillText("FLOP/B", width - 6, height - 10);
  context.textAlign = "left";
}

/** With an edge of the ground's color, so that it is read on points and lines, too. */
function writeOnGround({ context, theme }: Frame, text: string, x: number, y: number): void {
  context.strokeStyle = theme.paper;
  context.lineWidth = 4;
  context.lineJoin = "round";
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

const powerText = (value: number): string =>
  value >= 1 ? String(Math.round(value)) : value.toFixed(-Math.floor(Math.log10(value)));

/** Where a roof is seen. A bandwidth rises to the highest peak; a peak begins at the widest
 *  bandwidth. */
function rangeOf(
  { x }: RooflineLook,
  roof: Roof,
  widest: Roof | undefined,
  highest: Roof | undefined,
): Span {
  const [left, right] = [10 ** x.from, 10 ** x.to];
  const ridge =
    roof.kind === "peak"
      ? widest && (1000 * roof.high) / widest.high
      : highest && (1000 * highest.high) / roof.high;
  return roof.kind === "peak"
    ? { from: Math.max(left, ridge ?? left), to: right }
    : { from: left, to: Math.min(right, ridge ?? right) };
}

function paintRoof(
  { context, theme }: Frame,
  look: RooflineLook,
  place: Place,
  roof: Roof,
  widest: Roof | undefined,
  highest: Roof | undefined,
): void {
  const { from, to } = rangeOf(look, roof, widest, highest);
  if (from >= to) return;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(place.x(from), place.y(rateUnder(roof, from)));
  context.lineTo(place.x(to), place.y(rateUnder(roof, to)));
  context.stroke();
}

interface NamePlace {
  readonly x: number;
  readonly y: number;
  readonly angle: number;
  readonly box: Box;
}

const NAME_HEIGHT = 14;
/** Of the numbers of the axis, at the left edge. */
const SCALE_WIDTH = 56;
const STEP = 24;

/** Each on its own line, where it covers no other one. */
function paintRoofNames(
  frame: Frame,
  look: RooflineLook,
  place: Place,
  widest: Roof | undefined,
  highest: Roof | undefined,
): void {
  const { context, height, theme } = frame;
  const taken: Box[] = [{ left: 0, top: 0, width: SCALE_WIDTH, height }];
  context.fillStyle = theme.ink;
  context.textAlign = "center";
  for (const roof of look.roofs) {
    const { from, to } = rangeOf(look, roof, widest, highest);
    if (from >= to) continue;
    const text = roofText(roof);
    const { width } = context.measureText(text);
    const places =
      roof.kind === "peak"
        ? placesAbove(place.x(from), place.x(to) - 6, place.y(roof.high), width)
        : placesAlong(lineOf(look, place, roof, { from, to }), roof === widest, width);
    const at = freePlace(places, taken);
    if (!at) continue;
    context.save();
    context.translate(at.x, at.y);
    context.rotate(at.angle);
    writeOnGround(frame, text, 0, 0);
    context.restore();
  }
  context.textAlign = "left";
}

/** Above a level line, from its right end on. A name that is longer than its line begins before
 *  it. */
function placesAbove(left: number, right: number, lineY: number, width: number): NamePlace[] {
  const y = lineY - 8;
  const count = Math.max(1, Math.floor((right - left - width) / STEP) + 1);
  return Array.from({ length: count }, (_, i) => {
    const x = right - width / 2 - i * STEP;
    return { x, y, angle: 0, box: boxAround(x, y, width, NAME_HEIGHT) };
  });
}

interface Line {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
}

/** A bandwidth, from where it enters the picture. */
function lineOf(look: RooflineLook, place: Place, roof: Roof, { from, to }: Span): Line {
  const begin = Math.max(from, (1000 * 10 ** look.y.from) / roof.high);
  return {
    fromX: place.x(begin),
    fromY: place.y(rateUnder(roof, begin)),
    toX: place.x(to),
    toY: place.y(rateUnder(roof, to)),
  };
}

/** Along a rising line, from the left on, away from the peaks. */
function placesAlong(line: Line, isAbove: boolean, width: number): NamePlace[] {
  const [dx, dy] = [line.toX - line.fromX, line.toY - line.fromY];
  const length = Math.hypot(dx, dy);
  const angle = Math.atan2(dy, dx);
  const away = isAbove ? -8 : 9;
  const count = Math.max(0, Math.floor((length - width) / STEP) + 1);
  return Array.from({ length: count }, (_, i) => {
    const part = (width / 2 + i * STEP) / length;
    const x = line.fromX + dx * part - away * Math.sin(angle);
    const y = line.fromY + dy * part + away * Math.cos(angle);
    return { x, y, angle, box: boxAround(x, y, width, NAME_HEIGHT, angle) };
  });
}

function paintDisc(
  frame: Frame,
  { x, y, radius }: Disc,
  color: string,
  isMeant: boolean,
  isHovered: boolean,
): void {
  const { context, theme } = frame;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = isMeant ? color : theme.dimmed;
  context.globalAlpha = isMeant ? 0.75 : 0.4;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = isHovered ? theme.accent : theme.paper;
  context.lineWidth = isHovered ? 2 : 0.75;
  context.stroke();
}
