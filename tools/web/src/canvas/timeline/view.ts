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
import { markAt, type Hit } from "./layout";
import { arrowsTo, paintLines, paintLinks } from "./links";
import { isMeasureChanged, Measuring } from "./measuring";
import { around, openingSpan, SHORTEST, toTimeWord } from "./opening";
import { paintTracks } from "./paint";
import { FactsPanel } from "./panel";
import { hasThreads, Rows } from "./rows";
import { hitOf, selectionOf, toMarkWord } from "./selecting";
import { makeScene, type Scene, type Tables } from "./scene";
import { stepMarks, stepSpan, stepsOf, type StepMark } from "./steps";

const NEARBY = 3;
const ZOOM_STEP = 0.7;
const PAN_STEP = 0.15;
const SCROLL_STEP = 60;
/** How long the reader rests before the address follows. */
const SETTLE_MS = 400;

const BRIEF =
  "Click the picture, then zoom with the wheel and drag to move; a click on a mark shows its " +
  "facts. All keys:";
const HELP = [
  "Zoom around the mouse: the wheel, w and s, or two fingers.",
  "Move: drag, a and d, or the arrow keys.",
  "Click a mark for its facts. Comma and period lead to its neighbors, f zooms to it.",
  "Measure a span: drag with Shift, or press m at both ends. With a mark selected, m measures " +
    "the mark, and on to the next mark that is selected when m is pressed again. Esc removes it.",
  "0 (All) shows all steps, e shows or hides empty streams, Esc deselects.",
];

export class Timeline {
  private readonly surface: Surface;
  private readonly rows: Rows;
  private readonly card: Card;
  private readonly measuring: Measuring;
  private readonly panel: FactsPanel;
  private readonly legend: Legend;
  private readonly glide = new Glide((span) => this.look(span));
  private readonly ends: (() => void)[] = [];
  private tables: Tables | null = null;
  private scene: Scene | null = null;
  private coloring: Coloring | null = null;
  private span: Span = { from: 0, to: 1 };
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
    this.surface.canvas.setAttribute("aria-label", `Timeline. ${HELP.join(" ")}`);
    this.rows = new Rows(host, this.surface, model);
    this.card = new Card(frame);
    this.measuring = new Measuring(host, store);
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
    this.rows.destroy();
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
    controls.button("+", "zoom in (w)", () => this.zoom(ZOOM_STEP, null));
    controls.button("−", "zoom out (s)", () => this.zoom(1 / ZOOM_STEP, null));
    controls.button("All", "show everything (0)", () => this.jump(this.whole()));
    controls.button("Threads", "show or hide what the CPUs do", () => this.toggleThreads());
    controls.help(BRIEF, HELP);
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
    this.open(this.scene, store.state);
    return true;
  }

  /** Shows what the address asks for; of several ranks, the one for which the others wait. */
  private open(scene: Scene, state: State): void {
    const { model } = this;
    const selected = hitOf(scene, state.canvas.mark);
    const step = stepSpan(stepsOf(model, state.side), scene, state.step);
    this.span = openingSpan({ model, scene, state, selected, step });
    this.rows.fill(scene, this.span, true);
    this.follow(state);
    if (!selected) this.rows.scrollToLate();
  }

  /** Shows what has changed in the state. */
  private follow(state: State): void {
    const { before, scene, coloring } = this;
    this.before = state;
    if (!scene || !coloring) return;
    if (before && before.side !== state.side && this.load()) return;
    const isArranged = (["threads", "empty"] as const).some(
      (key) => before?.canvas[key] !== state.canvas[key],
    );
    if (!before || isArranged) this.rows.arrange(scene, state, this.tables?.collectives);
    const isRecolored =
      before?.selection !== state.selection ||
      before.search !== state.search ||
      before.canvas.color !== state.canvas.color;
    if (isRecolored) {
      coloring.apply(colorModeOf(state.canvas.color), state.selection, state.search);
      this.legend.show(coloring.legend);
    }
    const isMarked = before?.canvas.mark !== state.canvas.mark;
    if (!before || isMarked) {
      this.selected = hitOf(scene, state.canvas.mark);
      const traces = this.model.isDiff ? [] : this.model.traces.map(({ name }) => name);
      this.panel.show(this.selected && allFacts(this.selected.track, this.selected.row, traces));
    }
    const isMeasured = !before || isMeasureChanged(before, state);
    if (isMeasured) this.measuring.show(state, scene);
    if (isMarked || isMeasured) this.rows.fitSoon(isMarked ? this.selected : null);
    if (!before || before.step !== state.step) {
      this.step = stepSpan(stepsOf(this.model, state.side), scene, state.step);
      if (before) this.jump(this.step ?? scene.whole);
    }
    this.surface.invalidate();
  }

  private fold(span: Span, isJump: boolean): void {
    const { scene, rows } = this;
    if (!scene || !rows.fill(scene, span, isJump)) return;
    rows.arrange(scene, this.store.state, this.tables?.collectives);
  }

  private paint(frame: Frame): void {
    const { scene, coloring } = this;
    if (!scene || !coloring) return;
    const { layout, links, late, scroll } = this.rows;
    paintLinks(frame, links, this.span, scroll);
    const seen = paintTracks(frame, {
      layout,
      span: this.span,
      scroll,
      hover: this.hover,
      selected: this.selected,
      step: this.step,
      stepMarks: this.stepMarks,
      measured: this.measuring.span,
      late,
      palettes: coloring.palettes,
      nameOf,
    });
    const pointedAt = [this.hover, this.selected];
    const arrows = arrowsTo(seen, pointedAt, layout, this.span, frame.width);
    paintLines(frame, arrows, scroll);
  }

  private gestures(): Gestures {
    return {
      zoom: (factor, x) => this.look(zoomed(this.span, factor, this.timeAt(x))),
      pan: (dx, dy) => {
        this.rows.scrollTo(this.rows.scroll - dy);
        this.look(panned(this.span, (-dx * lengthOf(this.span)) / this.surface.width));
      },
      hover: (x, y) => {
        this.point(this.hitAt(x, y), x, y);
        if (this.rows.isFold(y)) this.surface.canvas.style.cursor = "pointer";
      },
      leave: () => this.point(null, 0, 0),
      click: (x, y) => {
        if (this.rows.isFold(y)) this.toggleEmpty();
        else this.select(this.hitAt(x, y));
      },
      doubleClick: (x, y) => {
        const hit = this.hitAt(x, y);
        if (hit) this.goTo(around(hit, this.whole()));
      },
      measure: (fromX, toX, isDone) => {
        this.measuring.drag(this.timeAt(fromX), this.timeAt(toX), isDone);
        this.surface.invalidate();
      },
      key: (key, isShift, x) => this.key(key, isShift, x),
    };
  }

  private key(key: string, isShift: boolean, x: number | null): boolean {
    const far = isShift ? 4 : 1;
    const pan = (part: number) => this.look(panned(this.span, part * far * lengthOf(this.span)));
    const scroll = (by: number) => this.rows.scrollTo(this.rows.scroll + by);
    const actions: Record<string, () => void> = {
      w: () => this.zoom(ZOOM_STEP, x),
      s: () => this.zoom(1 / ZOOM_STEP, x),
      a: () => pan(-PAN_STEP),
      d: () => pan(PAN_STEP),
      ArrowLeft: () => pan(-PAN_STEP),
      ArrowRight: () => pan(PAN_STEP),
      ArrowUp: () => scroll(-SCROLL_STEP),
      ArrowDown: () => scroll(SCROLL_STEP),
      ",": () => this.selectNeighbor(-1),
      ".": () => this.selectNeighbor(1),
      f: () => this.goToSelected(),
      Enter: () => this.goToSelected(),
      "0": () => this.jump(this.whole()),
      Home: () => this.jump(this.whole()),
      m: () => this.measuring.mark(this.placeAt(x)),
      e: () => this.toggleEmpty(),
      Escape: () => {
        if (!this.measuring.remove()) this.select(null);
      },
    };
    actions["+"] = actions.w!;
    actions["-"] = actions.s!;
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    action?.();
    return action !== undefined;
  }

  /** Around the mouse, or else the middle. */
  private zoom(factor: number, x: number | null): void {
    this.look(zoomed(this.span, factor, this.timeAt(x ?? this.surface.width / 2)));
  }

  /** What a measured span begins or ends with: the selected mark, the mouse, or the middle. */
  private placeAt(x: number | null): Span {
    if (this.selected) {
      const { lane, mark } = this.selected;
      return { from: lane.pyramid.start(mark), to: lane.pyramid.end(mark) };
    }
    const time = this.timeAt(x ?? this.surface.width / 2);
    return { from: time, to: time };
  }

  private toggleEmpty(): void {
    const isShown = this.store.state.canvas.empty === "shown";
    this.store.setCanvas("empty", isShown ? null : "shown");
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
      this.store.setCanvas("time", toTimeWord(this.span, this.whole()));
      this.fold(this.span, false);
    }, SETTLE_MS);
  }

  private goTo(span: Span): void {
    const to = clamp(span, this.whole(), SHORTEST);
    this.fold(to, false);
    this.glide.start(this.span, to);
  }

  /** To another part of the run, where other rows are empty. */
  private jump(span: Span): void {
    this.fold(span, true);
    this.goTo(span);
  }

  private goToSelected(): void {
    if (!this.selected) return;
    this.goTo(around(this.selected, this.whole()));
    this.rows.reveal(this.selected);
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
    const time = toTimeWord(this.span, this.whole());
    this.store.set({
      canvas: hit ? { ...others, mark: toMarkWord(hit), time } : others,
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

  private timeAt(x: number): number {
    return this.span.from + (x * lengthOf(this.span)) / this.surface.width;
  }

  private hitAt(x: number, y: number): Hit | null {
    const slack = (NEARBY * lengthOf(this.span)) / this.surface.width;
    const { layout, scroll } = this.rows;
    return markAt(layout, y + scroll, this.timeAt(x), slack);
  }
}

const isSame = (a: Hit | null, b: Hit | null): boolean =>
  a?.row === b?.row && a?.lane === b?.lane;
