// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The span that the reader measures: how long it is, and how much of it the GPUs work. It is part
// of the address; while it is dragged it is the view's own.
import type { State, Store } from "../../state/store";
import { fixed, ms } from "../../text/numbers";
import { lengthOf, type Span } from "../axis";
import type { Frame } from "../surface";
import { busyGpus } from "./busy";
import { AXIS } from "./layout";
import { spanOfWord, toSpanWord } from "./opening";
import type { Scene } from "./scene";

const KEY = "measure";

export class Measuring {
  private readonly element = document.createElement("div");
  private readonly text = document.createElement("p");
  private dragged: Span | null = null;
  /** What the first press of the key has marked: the second one ends the span. */
  private anchor: Span | null = null;

  constructor(
    host: HTMLElement,
    private readonly store: Store,
  ) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Remove";
    button.title = "remove the measured span (Esc)";
    button.addEventListener("click", () => this.remove());
    this.element.className = "measured";
    this.element.hidden = true;
    this.text.setAttribute("role", "status");
    this.element.append(this.text, button);
    host.append(this.element);
  }

  get span(): Span | null {
    return this.dragged ?? spanOfWord(this.store.state.canvas[KEY]);
  }

  drag(a: number, b: number, isDone: boolean): void {
    const span = { from: Math.min(a, b), to: Math.max(a, b) };
    this.dragged = isDone ? null : span;
    this.anchor = null;
    if (isDone) this.set(span);
  }

  /** From a place or a mark to the next one. */
  mark(at: Span): void {
    const { anchor } = this;
    this.anchor = anchor ? null : at;
    this.set({
      from: Math.min(at.from, anchor?.from ?? Infinity),
      to: Math.max(at.to, anchor?.to ?? -Infinity),
    });
  }

  /** False: there is none. */
  remove(): boolean {
    if (!this.span) return false;
    [this.anchor, this.dragged] = [null, null];
    this.store.setCanvas(KEY, null);
    return true;
  }

  show({ canvas }: State, scene: Scene): void {
    const span = spanOfWord(canvas[KEY]);
    this.element.hidden = span === null;
    this.text.textContent = span ? textOf(span, scene, this.anchor !== null) : "";
  }

  private set(span: Span): void {
    this.store.setCanvas(KEY, toSpanWord(span));
  }
}

export const isMeasureChanged = (before: State, after: State): boolean =>
  before.canvas[KEY] !== after.canvas[KEY];

function textOf(span: Span, scene: Scene, isOpen: boolean): string {
  const length = lengthOf(span);
  const place = `from ${fixed(span.from / 1e6, 6)} ms`;
  const next = isOpen ? " Press m again for the end." : "";
  if (length === 0) return `Measuring ${place}.${next}`;
  const gpus = busyGpus(scene, span).map(({ name, busy }) => {
    const share = fixed((100 * busy) / length, 1);
    return `${name}: busy ${ms(busy)} ms (${share} %), idle ${ms(length - busy)} ms`;
  });
  const to = `to ${fixed(span.to / 1e6, 6)} ms`;
  return `Measured: ${ms(length)} ms, ${place} ${to}. ${gpus.join("; ")}.${next}`;
}

/** A band across all rows, with its length on the axis. */
export function paintMeasure(frame: Frame, measured: Span, span: Span): void {
  const { context, width, height, theme } = frame;
  const scale = width / lengthOf(span);
  const [from, to] = [(measured.from - span.from) * scale, (measured.to - span.from) * scale];
  if (to < 0 || from > width) return;
  context.save();
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.12;
  context.fillRect(from, AXIS, to - from, height);
  context.globalAlpha = 1;
  for (const x of [from, to]) context.fillRect(Math.round(x), 0, 1, height);
  const text = `${ms(lengthOf(measured))} ms`;
  const room = context.measureText(text).width + 8;
  const middle = (Math.max(0, from) + Math.min(width, to)) / 2;
  const left = Math.min(width - room, Math.max(0, middle - room / 2));
  context.fillRect(left, 2, room, 17);
  context.fillStyle = theme.paper;
  context.fillText(text, left + 4, 11);
  context.restore();
}
