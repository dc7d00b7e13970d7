// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which part of the time axis is shown at first, and around a mark; and its word in the address.
import type { Model } from "../../data/model";
import type { State } from "../../state/store";
import { clamp, lengthOf, type Span } from "../axis";
import type { Hit } from "./layout";
import type { Scene } from "./scene";
import { stepSpan, stepsOf, typicalStep } from "./steps";

/** The closest look: this many nanoseconds across. */
export const SHORTEST = 200;

/** In the address: everything. Without any word, it is a step. */
const ALL = "all";

export const toSpanWord = ({ from, to }: Span): string => `${Math.round(from)}-${Math.round(to)}`;

export const toTimeWord = (span: Span, whole: Span): string =>
  lengthOf(span) >= lengthOf(whole) ? ALL : toSpanWord(span);

/** Null: it is no span. */
export function spanOfWord(word: string | undefined): Span | null {
  const match = /^(-?\d+)-(-?\d+)$/.exec(word ?? "");
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  return from <= to ? { from, to } : null;
}

export interface Asked {
  readonly model: Model;
  readonly scene: Scene;
  readonly state: State;
  readonly selected: Hit | null;
  /** Where the chosen step is. */
  readonly step: Span | null;
}

/** What the address says, or else the selected mark, or the chosen step, or a typical one: all
 *  steps at once are dust, and the first ones are no measure. */
export function openingSpan({ model, scene, state, selected, step }: Asked): Span {
  const { whole } = scene;
  const { time } = state.canvas;
  const asked = time === ALL ? whole : spanOfWord(time);
  const unasked = () => {
    if (selected) return around(selected, whole);
    const steps = stepsOf(model, state.side);
    const advice = model.table("advice") ?? model.table("advice", state.side);
    return step ?? stepSpan(steps, scene, typicalStep(steps, advice)) ?? whole;
  };
  return clamp(asked ?? unasked(), whole, SHORTEST);
}

/** A short mark takes a fifth of the width, a long one with a little of what is around it. */
export function around({ lane: { pyramid }, mark }: Hit, whole: Span): Span {
  const [from, to] = [pyramid.start(mark), pyramid.end(mark)];
  const rest = Math.max(0, lengthOf(whole) - (to - from));
  const margin = Math.max(SHORTEST, Math.min(2 * (to - from), rest / 20));
  return { from: from - margin, to: to + margin };
}
