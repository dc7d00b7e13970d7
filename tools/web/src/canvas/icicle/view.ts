// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the time goes: one icicle, or of a comparison two to the same scale, before and after.
import type { Model, Table } from "../../data/model";
import type { State, Store } from "../../state/store";
import { clamp, lengthOf, panned, zoomed, type Span } from "../axis";
import { Card } from "../card";
import { colorModeOf, colorModes } from "../color_key";
import { Controls, Legend } from "../controls";
import { listen, type Gestures } from "../gestures";
import { Glide } from "../glide";
import { groupsOf, timeWordOf } from "../groups";
import { matches } from "../matches";
import { Surface, type Frame } from "../surface";
import { changeLegend, diffColoring, groupColoring, type NodeColoring } from "./coloring";
import { changeFacts, groupFacts } from "./facts";
import { orderOf, ORDERS, selectionOf, treeOf } from "./orders";
import { paintTree, ROW } from "./paint";
import { hit, levelsOf, neighbor, nodeAt, pathOf, type TreeNode } from "./tree";

const HELP =
  "Click zooms into a part and selects it in all views; a click on what is above it leads back. " +
  "Arrow keys move, Enter zooms, Esc shows everything; two fingers zoom, and with the focus the " +
  "wheel.";

const TITLE = 20;
const ZOOM_STEP = 0.7;

/** One tree and where it is. */
interface Panel {
  readonly title: string;
  readonly root: TreeNode;
  readonly coloring: NodeColoring;
  readonly top: number;
}

export class Icicle {
  private readonly surface: Surface;
  private readonly card: Card;
  private readonly legend: Legend;
  private readonly glide = new Glide((span) => this.look(span));
  private readonly ends: (() => void)[] = [];
  private panels: readonly Panel[] = [];
  private table: Table | null = null;
  private span: Span = { from: 0, to: 1 };
  private hover: TreeNode | null = null;
  /** Where the arrow keys are. */
  private cursor: TreeNode | null = null;
  private before: State | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly model: Model,
    private readonly store: Store,
  ) {
    const controls = new Controls(host);
    const { canvas } = store.state;
    controls.choice("Order", ORDERS, canvas.order, (order) => {
      const { zoom: _, ...others } = store.state.canvas;
      store.set({ canvas: { ...others, order } });
    });
    if (!model.table("diff")) {
      const modes = colorModes(groupsOf(model, store.state.side));
      controls.choice("Color", modes, canvas.color, (mode) => store.setCanvas("color", mode));
    }
    controls.button("All", "show everything (Esc)", () => this.choose(null));
    controls.note(HELP);
    this.legend = new Legend(host);
    const frame = document.createElement("div");
    frame.className = "canvas-frame";
    host.append(frame);
    this.surface = new Surface(frame, (drawn) => this.paint(drawn));
    this.surface.canvas.setAttribute("role", "application");
    this.surface.canvas.setAttribute("aria-label", `Icicle of layers and ops. ${HELP}`);
    this.card = new Card(frame);
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
    this.surface.destroy();
    this.host.replaceChildren();
  }

  /** Takes up tables that have come. */
  private load(): void {
    const { model, store } = this;
    const table = model.table("diff") ?? groupsOf(model, store.state.side);
    if (table && table !== this.table) this.follow(store.state, true);
  }

  private follow(state: State, isNew = false): void {
    const { before } = this;
    this.before = state;
    const isChanged = (key: string) => before?.canvas[key] !== state.canvas[key];
    if (isNew || isChanged("order") || isChanged("color") || isFiltered(before, state)) {
      this.build(state);
    }
    const isJump = isNew || !before || isChanged("order");
    if (isJump) this.span = this.spanOf(state);
    else if (isChanged("zoom")) this.glide.start(this.span, this.spanOf(state));
    this.surface.invalidate();
  }

  private build(state: State): void {
    const { model } = this;
    const diff = model.table("diff");
    const table = diff ?? groupsOf(model, state.side);
    this.table = table ?? null;
    if (!table) return;
    const order = orderOf(state.canvas.order);
    const meant = matches(table, state.selection, state.search);
    if (diff) {
      const sides = [
        { title: "before", root: treeOf(diff, order, "base_ns") },
        { title: "after", root: treeOf(diff, order, "new_ns") },
      ];
      this.stack(sides, (root) => diffColoring(root, diff, meant));
      this.legend.show(changeLegend(diff));
    } else {
      const root = treeOf(table, order, timeWordOf(table));
      const mode = colorModeOf(state.canvas.color);
      const coloring = groupColoring(model, root, table, mode, meant);
      this.stack([{ title: "", root }], () => coloring.colorOf);
      this.legend.show(coloring.legend);
    }
    this.hover = null;
    this.cursor = null;
  }

  private stack(
    trees: readonly { title: string; root: TreeNode }[],
    coloringOf: (root: TreeNode) => NodeColoring,
  ): void {
    let top = 0;
    this.panels = trees.map(({ title, root }) => {
      const panel = { title, root, coloring: coloringOf(root), top: top + (title ? TITLE : 0) };
      top = panel.top + levelsOf(root) * ROW + 6;
      return panel;
    });
    this.surface.height = Math.max(60, top);
  }

  private paint(frame: Frame): void {
    for (const panel of this.panels) {
      const { root, title, top } = panel;
      frame.context.fillStyle = frame.theme.ink;
      if (title) frame.context.fillText(title, 2, top - TITLE / 2);
      paintTree(frame, {
        root,
        top,
        span: this.spanIn(root),
        coloring: panel.coloring,
        marked: this.cursor ?? this.hover,
      });
    }
  }

  /** The other side of a comparison shows the same part from its own beginning. */
  private spanIn(root: TreeNode): Span {
    const [first] = this.panels;
    if (!first || root === first.root) return this.span;
    const path = this.zoomPath(this.store.state);
    const by = nodeAt(root, path).left - nodeAt(first.root, path).left;
    return panned(this.span, by);
  }

  private gestures(): Gestures {
    return {
      zoom: (factor, x) => this.look(zoomed(this.span, factor, this.at(x))),
      pan: (dx) => this.look(panned(this.span, (-dx * lengthOf(this.span)) / this.surface.width)),
      hover: (x, y) => this.point(this.hitAt(x, y), x, y),
      leave: () => this.point(null, 0, 0),
      click: (x, y) => this.choose(this.hitAt(x, y)),
      key: (key, _, x) => this.key(key, x),
    };
  }

  private key(key: string, x: number | null): boolean {
    const ways: Record<string, "up" | "down" | "left" | "right"> = {
      ArrowUp: "up",
      ArrowDown: "down",
      ArrowLeft: "left",
      ArrowRight: "right",
    };
    const way = ways[key];
    const at = this.at(x ?? this.surface.width / 2);
    if (way) this.move(way);
    else if (key === "Enter" || key === " ") this.choose(this.cursor);
    else if (key === "Escape" || key === "Home") this.choose(null);
    else if (key === "Backspace") this.choose(this.focus()?.parent ?? null);
    else if (key === "w" || key === "+") this.look(zoomed(this.span, ZOOM_STEP, at));
    else if (key === "s" || key === "-") this.look(zoomed(this.span, 1 / ZOOM_STEP, at));
    else if (key === "a") this.look(panned(this.span, -0.2 * lengthOf(this.span)));
    else if (key === "d") this.look(panned(this.span, 0.2 * lengthOf(this.span)));
    else return false;
    return true;
  }

  private move(way: "up" | "down" | "left" | "right"): void {
    const from = this.cursor ?? this.focus();
    const next = from && (this.cursor ? neighbor(from, way) : from);
    if (!next) return;
    this.cursor = next;
    const panel = this.panelOf(next);
    if (!panel) return;
    const span = this.spanIn(panel.root);
    const x = ((next.left + next.time / 2 - span.from) / lengthOf(span)) * this.surface.width;
    const y = panel.top + (next.depth + 1) * ROW;
    this.card.show(this.factsOf(next), Math.min(this.surface.width, Math.max(0, x)), y);
    this.surface.invalidate();
  }

  private point(node: TreeNode | null, x: number, y: number): void {
    if (node !== this.hover || this.cursor) this.surface.invalidate();
    this.hover = node;
    this.cursor = null;
    this.surface.canvas.style.cursor = node ? "pointer" : "";
    if (node) this.card.show(this.factsOf(node), x, y);
    else this.card.hide();
  }

  private factsOf(node: TreeNode) {
    const whole = this.panelOf(node)?.root.time ?? node.time;
    if (!this.table) return { title: node.name, lines: [] };
    return this.table.name === "diff"
      ? changeFacts(node, this.table, whole)
      : groupFacts(node, this.table, whole);
  }

  /** Zooms to the node and selects what it stands for; null: everything. */
  private choose(node: TreeNode | null): void {
    const { store, table } = this;
    const { zoom: _, ...others } = store.state.canvas;
    const isPart = node?.parent && table;
    store.set({
      canvas: isPart ? { ...others, zoom: JSON.stringify(pathOf(node)) } : others,
      selection: isPart ? selectionOf(table, node, orderOf(others.order)) : {},
    });
  }

  private zoomPath(state: State): string[] {
    try {
      const path = JSON.parse(state.canvas.zoom ?? "[]") as unknown;
      return Array.isArray(path) ? path.map(String) : [];
    } catch {
      return [];
    }
  }

  private focus(): TreeNode | null {
    const [first] = this.panels;
    return first ? nodeAt(first.root, this.zoomPath(this.store.state)) : null;
  }

  /** Wide enough for the part on both sides. */
  private spanOf(state: State): Span {
    const path = this.zoomPath(state);
    const nodes = this.panels.map(({ root }) => nodeAt(root, path));
    const from = nodes[0]?.left ?? 0;
    return { from, to: from + Math.max(1, ...nodes.map((node) => node.time)) };
  }

  private look(span: Span): void {
    const length = Math.max(1, ...this.panels.map(({ root }) => root.time));
    this.span = clamp(span, { from: 0, to: length }, length / 1e6);
    this.surface.invalidate();
  }

  private at(x: number): number {
    return this.span.from + (x * lengthOf(this.span)) / this.surface.width;
  }

  private hitAt(x: number, y: number): TreeNode | null {
    const panel = [...this.panels].reverse().find(({ top }) => y >= top);
    if (!panel) return null;
    const span = this.spanIn(panel.root);
    const at = span.from + (x * lengthOf(span)) / this.surface.width;
    return hit(panel.root, Math.floor((y - panel.top) / ROW), at);
  }

  private panelOf(node: TreeNode): Panel | undefined {
    let root = node;
    while (root.parent) root = root.parent;
    return this.panels.find((panel) => panel.root === root);
  }
}

const isFiltered = (before: State | null, state: State): boolean =>
  before?.selection !== state.selection ||
  before.search !== state.search ||
  before.side !== state.side;
