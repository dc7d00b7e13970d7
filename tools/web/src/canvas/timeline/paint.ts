// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the part of a timeline that is visible. Marks narrower than a pixel are added up by pixel
// (pixels.ts), wider ones are rectangles with their names.
import { lengthOf, ticks, type Span } from "../axis";
import { inkOn } from "../colors";
import { writeInto } from "../labels";
import { FONT, type Frame } from "../surface";
import { AXIS, type Heading, type Hit, type Layout, type PlacedTrack } from "./layout";
import { paintMeasure } from "./measuring";
import { PixelRow } from "./pixels";
import { DIMMED, type MarkSink } from "./pyramid";
import type { Lane, Track } from "./scene";
import type { StepMark } from "./steps";

export interface Look {
  readonly layout: Layout;
  readonly span: Span;
  /** How far the tracks are scrolled up, in pixels. */
  readonly scroll: number;
  readonly hover: Hit | null;
  readonly selected: Hit | null;
  /** Parts of the axis outside of the chosen step are shaded. */
  readonly step: Span | null;
  readonly stepMarks: readonly StepMark[];
  readonly measured: Span | null;
  /** Of the rank for which the others wait. */
  readonly late: Heading | null;
  readonly palettes: ReadonlyMap<Track, readonly string[]>;
  readonly nameOf: (track: Track, row: number) => string;
}

/** A mark that is wide enough to be seen by itself. */
export interface SeenMark {
  readonly track: Track;
  readonly row: number;
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
}

const NARROW = 3;
const row = new PixelRow();

/** Returns the marks of GPU work that can be told apart. */
export function paintTracks(frame: Frame, look: Look): SeenMark[] {
  const { context, width, height, theme } = frame;
  const seen: SeenMark[] = [];
  paintGrid(frame, look.span);
  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height - AXIS);
  context.clip();
  context.translate(0, -look.scroll);
  for (const heading of look.layout.headings) paintHeading(frame, heading, look.late);
  context.fillStyle = theme.faint;
  for (const { text, top } of look.layout.folds) context.fillText(text, 4, top + 9);
  for (const placed of look.layout.tracks) {
    if (placed.bottom < look.scroll || placed.top > look.scroll + height) continue;
    context.fillStyle = theme.faint;
    context.fillText(placed.name, 4, placed.top + 6);
    placed.track.lanes.forEach((lane, i) => {
      const top = placed.lanesTop + i * placed.laneHeight;
      const isVisible = top + placed.laneHeight >= look.scroll && top <= look.scroll + height;
      if (isVisible) paintLane(frame, look, placed, lane, top, seen);
    });
  }
  context.restore();
  if (look.step) shadeOutside(frame, look.step, look.span);
  paintAxis(frame, look.span);
  paintSteps(frame, look);
  if (look.measured) paintMeasure(frame, look.measured, look.span);
  return seen;
}

function paintHeading({ context, theme }: Frame, heading: Heading, late: Heading | null): void {
  context.font = `600 ${FONT}`;
  context.fillStyle = theme.ink;
  context.fillText(heading.text, 4, heading.top + 9);
  const { width } = context.measureText(heading.text);
  context.font = FONT;
  if (heading === late) context.fillText("the others wait for it", width + 14, heading.top + 9);
}

function paintLane(
  frame: Frame,
  look: Look,
  { track, laneHeight }: PlacedTrack,
  lane: Lane,
  top: number,
  seen: SeenMark[],
): void {
  const { context, ratio, theme } = frame;
  const palette = look.palettes.get(track) ?? [];
  const colorOf = (index: number) => (index === DIMMED ? theme.dimmed : (palette[index] ?? ""));
  const height = laneHeight - 1;
  // Device pixels: what shares one of them cannot be told apart.
  const pixels = Math.ceil(frame.width * ratio);
  const nsPerPixel = lengthOf(look.span) / pixels;
  const place = (time: number) => (time - look.span.from) / nsPerPixel;
  row.reset(pixels);
  const sink: MarkSink = {
    block(start, end, busy, color) {
      const part = end > start ? busy / (end - start) : 0;
      row.add(place(start), place(end), part, color, pixels);
    },
    mark(index, start, end, color) {
      const from = Math.max(-2, place(start)) / ratio;
      const to = Math.min(pixels + 2, place(end)) / ratio;
      context.fillStyle = colorOf(color);
      context.fillRect(from, top, to - from, height);
      if (to - from < NARROW) return;
      const mark = { track, row: lane.rows[index]!, x: from, width: to - from, top, height };
      if (track.kind === "work") seen.push(mark);
      if (laneHeight >= 14) paintName(frame, look, mark, context.fillStyle);
    },
  };
  lane.pyramid.walk(look.span.from, look.span.to, nsPerPixel, sink);
  row.runs((x, width, color, shade) => {
    context.globalAlpha = color === DIMMED ? 1 : 0.3 + 0.7 * shade;
    context.fillStyle = colorOf(color);
    context.fillRect(x / ratio, top, width / ratio, height);
  });
  context.globalAlpha = 1;
  if (track.kind === "gaps") hatch(frame, top, height);
  for (const hit of [look.selected, look.hover]) {
    if (hit?.lane === lane) outline(frame, look.span, hit, top, height);
  }
}

function paintName(frame: Frame, look: Look, mark: SeenMark, color: string): void {
  const { context, width } = frame;
  // A gap between marks of one color keeps them apart.
  context.clearRect(mark.x + mark.width - 0.5, mark.top, 0.5, mark.height);
  const from = Math.max(0, mark.x);
  const room = Math.min(width, mark.x + mark.width) - from;
  if (room < 24) return;
  context.fillStyle = inkOn(color);
  writeInto(context, look.nameOf(mark.track, mark.row), from, mark.top + mark.height / 2 + 1, room);
}

/** Lines of the ground's color across a lane: idle time is no work, though colors repeat. */
function hatch({ context, width, theme }: Frame, top: number, height: number): void {
  context.save();
  context.beginPath();
  context.rect(0, top, width, height);
  context.clip();
  context.strokeStyle = theme.paper;
  context.globalAlpha = 0.65;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let x = -height; x < width; x += HATCH) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

const HATCH = 6;

function outline(frame: Frame, span: Span, hit: Hit, top: number, height: number): void {
  const { context, width, theme } = frame;
  const scale = width / lengthOf(span);
  const from = Math.max(-2, (hit.lane.pyramid.start(hit.mark) - span.from) * scale);
  const to = Math.min(width + 2, (hit.lane.pyramid.end(hit.mark) - span.from) * scale);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(from, top, Math.max(2, to - from), height);
}

function shadeOutside({ context, width, height, theme }: Frame, step: Span, span: Span): void {
  const scale = width / lengthOf(span);
  const from = Math.max(0, (step.from - span.from) * scale);
  const to = Math.min(width, (step.to - span.from) * scale);
  context.globalAlpha = 0.6;
  context.fillStyle = theme.paper;
  if (from > 0) context.fillRect(0, AXIS, Math.min(from, width), height);
  if (to < width) context.fillRect(Math.max(0, to), AXIS, width, height);
  context.globalAlpha = 1;
}

const TICK_GAP = 90;
const TIMES = 11;
const STEPS = AXIS - 7;

/** Behind the tracks. */
function paintGrid({ context, width, height, theme }: Frame, span: Span): void {
  const scale = width / lengthOf(span);
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.beginPath();
  for (const at of ticks(span, width, TICK_GAP)) {
    const x = Math.round((at - span.from) * scale) + 0.5;
    context.moveTo(x, AXIS - 4);
    context.lineTo(x, height);
  }
  context.stroke();
}

function paintAxis({ context, width, theme }: Frame, span: Span): void {
  const scale = width / lengthOf(span);
  const decimals = decimalsFor(lengthOf(span), width);
  context.fillStyle = theme.faint;
  for (const at of ticks(span, width, TICK_GAP)) {
    const x = (at - span.from) * scale;
    context.fillText(`${(at / 1e6).toFixed(decimals)} ms`, x + 3, TIMES);
  }
}

const STEP_NAME = 52;
/** Lines that are closer are a veil. */
const STEP_GAP = 6;

/** Lines where steps begin, with as many names as there is room for. */
function paintSteps({ context, width, height, theme }: Frame, { stepMarks, span }: Look): void {
  const scale = width / lengthOf(span);
  let [free, freeOfLines] = [-Infinity, 0];
  context.strokeStyle = theme.faint;
  context.fillStyle = theme.ink;
  context.lineWidth = 1;
  stepMarks.forEach(({ step, start }, i) => {
    const x = (start - span.from) * scale;
    const end = ((stepMarks[i + 1]?.start ?? Infinity) - span.from) * scale;
    if (end < 0 || x > width) return;
    // The name of the step that is under way at the left edge stays in sight.
    const nameAt = Math.max(x, 0) + 3;
    if (x >= freeOfLines) {
      freeOfLines = x + STEP_GAP;
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(Math.round(x) + 0.5, AXIS - 14);
      context.lineTo(Math.round(x) + 0.5, height);
      context.stroke();
      context.globalAlpha = 1;
    }
    const isCut = nameAt + STEP_NAME > width || (x < 0 && end - nameAt < STEP_NAME);
    if (nameAt < free || isCut) return;
    context.fillText(`step ${step}`, nameAt, STEPS);
    free = nameAt + STEP_NAME;
  });
}

/** Enough to tell one tick from the next. */
function decimalsFor(length: number, width: number): number {
  const stepMs = ((length / width) * TICK_GAP) / 1e6;
  return Math.min(6, Math.max(0, -Math.floor(Math.log10(stepMs))));
}
