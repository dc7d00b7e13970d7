// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the roofs and the points below them.
import { decades, lengthOf, type Span } from "../axis";
import type { Frame } from "../surface";
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
  look.points.forEach(({ color, isMeant }, i) => {
    const disc = discs[i];
    if (disc) paintDisc(frame, disc, color, isMeant, i === look.hover);
  });
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
    context.fillText(powerText(intensity), at + 3, height - BOTTOM + 10);
  }
  for (const rate of decades({ from: 10 ** y.from, to: 10 ** y.to })) {
    const at = Math.round(place.y(rate)) + 0.5;
    context.moveTo(0, at);
    context.lineTo(width, at);
    context.fillText(powerText(rate), 4, at - 8);
  }
  context.stroke();
  context.fillText("TFLOP/s", 4, 6);
  context.textAlign = "right";
  context.fillText("FLOP/B", width - 6, height - 10);
  context.textAlign = "left";
}

const powerText = (value: number): string =>
  value >= 1 ? String(Math.round(value)) : value.toFixed(-Math.floor(Math.log10(value)));

/** A bandwidth rises to the highest peak; a peak begins at the widest bandwidth. */
function paintRoof(
  frame: Frame,
  { x, y }: RooflineLook,
  place: Place,
  roof: Roof,
  widest: Roof | undefined,
  highest: Roof | undefined,
): void {
  const { context, width, theme } = frame;
  const [left, right] = [10 ** x.from, 10 ** x.to];
  const isPeak = roof.kind === "peak";
  const ridge = isPeak
    ? widest && (1000 * roof.high) / widest.high
    : highest && (1000 * highest.high) / roof.high;
  const from = isPeak ? Math.max(left, ridge ?? left) : left;
  const to = isPeak ? right : Math.min(right, ridge ?? right);
  if (from >= to) return;
  context.strokeStyle = theme.ink;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(place.x(from), place.y(rateUnder(roof, from)));
  context.lineTo(place.x(to), place.y(rateUnder(roof, to)));
  context.stroke();
  context.fillStyle = theme.ink;
  const text = roofText(roof);
  if (isPeak) {
    context.textAlign = "right";
    context.fillText(text, width - 6, place.y(roof.high) - 8);
    context.textAlign = "left";
    return;
  }
  // Where the line enters the picture.
  const begin = Math.max(from, (1000 * 10 ** y.from) / roof.high);
  const [startX, startY] = [place.x(begin), place.y(rateUnder(roof, begin))];
  const [endX, endY] = [place.x(to), place.y(rateUnder(roof, to))];
  if (endX - startX < 80) return;
  // Above the widest, below the others: they lie close to one another.
  context.save();
  context.translate((startX + endX) / 2, (startY + endY) / 2);
  context.rotate(Math.atan2(endY - startY, endX - startX));
  context.textAlign = "center";
  context.fillText(text, 0, roof === widest ? -8 : 9);
  context.restore();
}

/** "bfloat16: 989 TFLOP/s"; of limits that followed the clocks, from the lowest to the highest. */
export function roofText({ names, kind, low, high }: Roof): string {
  const unit = kind === "peak" ? "TFLOP/s" : "GB/s";
  const [from, to] = [rounded(low), rounded(high)];
  return `${names.filter(Boolean).join(", ") || "unknown type"}: ${from === to ? to : `${from} to ${to}`} ${unit}`;
}

const rounded = (value: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: value >= 1000 ? 4 : 3 });

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
