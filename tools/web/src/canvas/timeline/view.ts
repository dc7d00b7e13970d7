// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what the threads launch and what the GPUs do, to zoom into and to ask.
import type { Model } from "../../data/model";
import type { State, Store } from "../../state/store";
import { clamp, lengthOf, panned, zoomed, type Span } from "../axis";
import { Card } from "../card";
import { colorModeOf, colorModes } from "../color_key";
import { Controls, Legend } from "../controls";
import { listen, type Gestures } from "../gestures";
import { Glide } from "../glide";
import { Surface, type Frame } from "../surface";
import { Coloring } from "./coloring";
import { allFacts, cardOf, nameOf } from "./facts";
import { arrange, isOneTrace, markAt, type Hit, type Layout } from "./layout";
import { arrowsTo, paintLines, paintLinks, rankLinks, type RankLink } from "./links";
import { paintTracks } from "./paint";
import { FactsPanel } from "./panel";
import { hitOf, selectionOf, toMarkWord } from "./selecting";
import { makeScene, type Scene, type Tables } from "./scene";
import { stepMarks, stepSpan, stepsOf, typicalStep, type StepMark } from "./steps";

/** The closest look: this many nanoseconds across. */
const SHORTEST = 200;
const NEARBY = 3;
const ZOOM_STEP = 0.7;
const PAN_STEP = 0.15;
const SCROLL_STEP = 60;
/** How long the reader rests before the address follows. */
const SETTLE_MS = 400;
/** In the address: everything. Without any word, it is a step. */
const ALL = "all";

const HELP =
  "Click the picture, then zoom with the wheel or w and s, move with a and d, the arrow keys or " +
  "by dragging; two fingers zoom, too. Click a mark for its facts; comma and period lead to its " +
  "neighbors, f zooms to it, 0 (All) shows all steps.";

export class Timeline {
  private readonly surface: Surface;
  private readonly card: Card;
  private readonly panel: FactsPanel;
  private readonly legend: Legend;
  private readonly glide = new Glide((span) => this.look(span));
  private readonly ends: (() => void)[] = [];
  private tables: Tables | null = null;
  private scene: Scene | null = null;
  private layout: Layout | null = null;
  private links: readonly RankLink[] = [];
  private coloring: Coloring | null = null;
  private span: Span = { from: 0, to: 1 };
  private scroll = 0;
  private hover: Hit | null = null;
  private selected: Hit | null = null;
  /** Where the chosen step is. */
  private step: Span | null = null;
  private stepMarks: readonly StepMark[] = [];
  private before: State | null = null;
  private settling = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly model: Model,
    private readonly store: Store,
  ) {
    this.addControls();
    this.legend = new Legend(host);
    const frame = document.createElement("div");
    frame.className = "canvas-frame";
    host.append(frame);
    this.surface = new Surface(frame, (drawn) => this.paint(drawn));
    this.surface.canvas.setAttribute("role", "application");
    this.surface.canvas.setAttribute("aria-label", `Timeline. ${HELP}`);
    this.card = new Card(frame);
    this.panel = new FactsPanel(host);
    this.ends.push(
      listen(this.surface.canvas, this.gestures()),
      model.listen(() => this.load()),
      store.listen((state) => this.follow(state)),
    );
    this.load();
  }

  destroy(): void {
    for (const end of this.ends) end();
    this.glide.stop();
    clearTimeout(this.settling);
    this.surface.destroy();
    this.host.replaceChildren();
  }

  private addControls(): void {
    const controls = new Controls(this.host);
    const { side } = this.store.state;
    const work = this.model.table("work") ?? this.model.table("work", side);
    controls.choice("Color", colorModes(work), this.store.state.canvas.color, (mode) =>
      this.store.setCanvas("color", mode),
    );
    controls.button("+", "zoom in (w)", () => this.zoom(ZOOM_STEP));
    controls.button("−", "zoom out (s)", () => this.zoom(1 / ZOOM_STEP));
    controls.button("All", "show everything (0)", () => this.goTo(this.whole()));
    controls.button("Threads", "show or hide what the CPUs do", () => this.toggleThreads());
    controls.note(HELP);
  }

  /** Takes up tables that have come. False: there are no others. */
  private load(): boolean {
    const { model, store } = this;
    const { side } = store.state;
    const table = (name: string) =>
      model.table(name) ?? (model.isDiff ? model.table(name, side) : undefined);
    const work = table("work");
    if (!work) return false;
    const tables: Tables = {
      work,
      ranges: table("ranges"),
      gaps: table("idle"),
      collectives: table("links"),
    };
    const names = ["work", "ranges", "gaps", "collectives"] as const;
    const isKnown = names.every((name) => this.tables?.[name] === tables[name]);
    if (isKnown) return false;
    this.tables = tables;
    this.scene = makeScene(tables);
    this.coloring = new Coloring(model, this.scene);
    this.stepMarks = stepMarks(stepsOf(model, side));
    this.before = null;
    this.follow(store.state);
    this.span = this.firstSpan(store.state);
    return true;
  }

  /** Shows what has changed in the state. */
  private follow(state: State): void {
    const { before, scene, coloring } = this;
    this.before = state;
    if (!scene || !coloring) return;
    if (before && before.side !== state.side && this.load()) return;
    const isArranged = before?.canvas.threads !== state.canvas.threads;
    if (!before || isArranged) this.arrange(scene, state);
    const isRecolored =
      before?.selection !== state.selection ||
      before.search !== state.search ||
      before.canvas.color !== state.canvas.color;
    if (isRecolored) {
      coloring.apply(colorModeOf(state.canvas.color), state.selection, state.search);
      this.legend.show(coloring.legend);
    }
    if (!before || before.canvas.mark !== state.canvas.mark) {
      this.selected = hitOf(scene, state.canvas.mark);
      const traces = this.model.isDiff ? [] : this.model.traces.map(({ name }) => name);
      this.panel.show(this.selected && allFacts(this.selected.track, this.selected.row, traces));
    }
    if (!before || before.step !== state.step) {
      this.step = stepSpan(stepsOf(this.model, state.side), scene, state.step);
      if (before) this.goTo(this.step ?? scene.whole);
    }
    this.surface.invalidate();
  }

  private arrange(scene: Scene, state: State): void {
    this.layout = arrange(scene, hasThreads(scene, state));
    const collectives = this.tables?.collectives;
    this.links = collectives ? rankLinks(collectives, this.layout) : [];
    this.fit();
  }

  private fit(): void {
    const most = Math.max(320, window.innerHeight * 0.75);
    this.surface.height = Math.min(this.layout?.height ?? 0, most);
    this.scrollTo(this.scroll);
  }

  private paint(frame: Frame): void {
    const { layout, scene, coloring } = this;
    if (!layout || !scene || !coloring) return;
    paintLinks(frame, this.links, this.span, this.scroll);
    const seen = paintTracks(frame, {
      layout,
      span: this.span,
      scroll: this.scroll,
      hover: this.hover,
      selected: this.selected,
      step: this.step,
      stepMarks: this.stepMarks,
      palettes: coloring.palettes,
      nameOf,
    });
    const pointedAt = [this.hover, this.selected];
    const arrows = arrowsTo(seen, pointedAt, layout, this.span, frame.width);
    paintLines(frame, arrows, this.scroll);
  }

  private gestures(): Gestures {
    return {
      zoom: (factor, x) => this.look(zoomed(this.span, factor, this.timeAt(x))),
      pan: (dx, dy) => {
        this.scrollTo(this.scroll - dy);
        this.look(panned(this.span, (-dx * lengthOf(this.span)) / this.surface.width));
      },
      hover: (x, y) => this.point(this.hitAt(x, y), x, y),
      leave: () => this.point(null, 0, 0),
      click: (x, y) => this.select(this.hitAt(x, y)),
      doubleClick: (x, y) => {
        const hit = this.hitAt(x, y);
        if (hit) this.goTo(this.around(hit));
      },
      key: (key, isShift) => this.key(key, isShift),
    };
  }

  private key(key: string, isShift: boolean): boolean {
    const far = isShift ? 4 : 1;
    const pan = (part: number) => this.look(panned(this.span, part * far * lengthOf(this.span)));
    const actions: Record<string, () => void> = {
      w: () => this.zoom(ZOOM_STEP),
      s: () => this.zoom(1 / ZOOM_STEP),
      a: () => pan(-PAN_STEP),
      d: () => pan(PAN_STEP),
      ArrowLeft: () => pan(-PAN_STEP),
      ArrowRight: () => pan(PAN_STEP),
      ArrowUp: () => this.scrollTo(this.scroll - SCROLL_STEP),
      ArrowDown: () => this.scrollTo(this.scroll + SCROLL_STEP),
      ",": () => this.selectNeighbor(-1),
      ".": () => this.selectNeighbor(1),
      f: () => this.goToSelected(),
      Enter: () => this.goToSelected(),
      "0": () => this.goTo(this.whole()),
      Home: () => this.goTo(this.whole()),
      Escape: () => this.select(null),
    };
    actions["+"] = actions.w!;
    actions["-"] = actions.s!;
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    action?.();
    return action !== undefined;
  }

  private zoom(factor: number): void {
    this.look(zoomed(this.span, factor, (this.span.from + this.span.to) / 2));
  }

  private toggleThreads(): void {
    const { scene, store } = this;
    const isShown = scene !== null && hasThreads(scene, store.state);
    store.setCanvas("threads", isShown ? "hidden" : "shown");
  }

  private whole(): Span {
    return this.scene?.whole ?? this.span;
  }

  private look(span: Span): void {
    this.span = clamp(span, this.whole(), SHORTEST);
    this.surface.invalidate();
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      this.store.setCanvas("time", this.timeWord());
    }, SETTLE_MS);
  }

  private timeWord(): string {
    const { from, to } = this.span;
    const isAll = lengthOf(this.span) >= lengthOf(this.whole());
    return isAll ? ALL : `${Math.round(from)}-${Math.round(to)}`;
  }

  private goTo(span: Span): void {
    this.glide.start(this.span, clamp(span, this.whole(), SHORTEST));
  }

  private goToSelected(): void {
    if (this.selected) this.goTo(this.around(this.selected));
  }

  private scrollTo(scroll: number): void {
    const most = Math.max(0, (this.layout?.height ?? 0) - this.surface.height);
    this.scroll = Math.min(most, Math.max(0, scroll));
    this.surface.invalidate();
  }

  private point(hit: Hit | null, x: number, y: number): void {
    if (!isSame(hit, this.hover)) {
      this.hover = hit;
      this.surface.invalidate();
    }
    this.surface.canvas.style.cursor = hit ? "pointer" : "";
    // The panel has the facts of the selected one, and the card must not cover them.
    if (hit && !isSame(hit, this.selected)) {
      this.card.show(cardOf(hit.track, hit.row), x, y, this.panel.top);
    } else this.card.hide();
  }

  /** What was pointed at before is neither outlined nor explained any more. */
  private select(hit: Hit | null): void {
    this.point(null, 0, 0);
    const { mark: _, ...others } = this.store.state.canvas;
    this.store.set({
      canvas: hit ? { ...others, mark: toMarkWord(hit), time: this.timeWord() } : others,
      selection: hit ? selectionOf(hit) : {},
    });
  }

  /** Selects the neighbor in the lane, and shows it. */
  private selectNeighbor(by: number): void {
    const { selected } = this;
    const mark = (selected?.mark ?? 0) + by;
    if (!selected || mark < 0 || mark >= selected.lane.pyramid.length) return;
    const hit = { ...selected, mark, row: selected.lane.rows[mark]! };
    this.select(hit);
    const middle = (hit.lane.pyramid.start(mark) + hit.lane.pyramid.end(mark)) / 2;
    if (middle < this.span.from || middle > this.span.to) {
      this.look(panned(this.span, middle - (this.span.from + this.span.to) / 2));
    }
  }

  /** What the address says, or else the selected mark, or the chosen step, or a typical one: all
   *  steps at once are dust, and the first ones are no measure. */
  private firstSpan(state: State): Span {
    const { time = "" } = state.canvas;
    const [from = NaN, to = NaN] = time.split("-").map(Number);
    const asked = from < to ? { from, to } : time === ALL ? this.whole() : this.unasked(state);
    return clamp(asked, this.whole(), SHORTEST);
  }

  private unasked({ side }: State): Span {
    const { model, scene, selected, step } = this;
    if (selected) return this.around(selected);
    const steps = stepsOf(model, side);
    const advice = model.table("advice") ?? model.table("advice", side);
    const typical = scene && stepSpan(steps, scene, typicalStep(steps, advice));
    return step ?? typical ?? this.whole();
  }

  /** A short mark takes a fifth of the width, a long one with a little of what is around it. */
  private around({ lane: { pyramid }, mark }: Hit): Span {
    const [from, to] = [pyramid.start(mark), pyramid.end(mark)];
    const rest = Math.max(0, lengthOf(this.whole()) - (to - from));
    const margin = Math.max(SHORTEST, Math.min(2 * (to - from), rest / 20));
    return { from: from - margin, to: to + margin };
  }

  private timeAt(x: number): number {
    return this.span.from + (x * lengthOf(this.span)) / this.surface.width;
  }

  private hitAt(x: number, y: number): Hit | null {
    const slack = (NEARBY * lengthOf(this.span)) / this.surface.width;
    return this.layout && markAt(this.layout, y + this.scroll, this.timeAt(x), slack);
  }
}

/** Unless the reader says otherwise, those of one trace are shown. */
function hasThreads(scene: Scene, { canvas }: State): boolean {
  return canvas.threads ? canvas.threads !== "hidden" : isOneTrace(scene);
}

const isSame = (a: Hit | null, b: Hit | null): boolean =>
  a?.row === b?.row && a?.lane === b?.lane;
