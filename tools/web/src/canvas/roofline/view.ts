// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The roofline: each op, shape and type as a point below the limits of this GPU.
import type { Model, Table } from "../../data/model";
import { SELECTABLE, type Selection, type State, type Store } from "../../state/store";
import { ms } from "../../text/numbers";
import { clamp, lengthOf, panned, zoomed, type Span } from "../axis";
import { Card } from "../card";
import { colorKey, colorModeOf, colorModes, opColors, type ColorKey } from "../color_key";
import { Controls, Legend } from "../controls";
import { listen, type Gestures } from "../gestures";
import { groupsOf } from "../groups";
import { matches } from "../matches";
import { Surface, type Frame } from "../surface";
import { factsOf } from "./facts";
import { Limits } from "./limits";
import { bandwidthsOf, memoryNamesOf, peaksOf, pointsOf, type Merged } from "./merge";
import { paintRoofline, type PlacedPoint } from "./paint";
import { discAt, extentOf, radiusOf, roofsOf, type Extent, type Roof } from "./points";

const HEIGHT = 420;
const LARGEST = 22;
const NEARBY = 4;
/** The closest look: this part of a decade. */
const SHORTEST = 0.2;
const ZOOM_STEP = 0.7;

const HELP =
  "Each point is an op of one shape and type; its area is its time. Click selects it in all " +
  "views. Arrow keys move from point to point, longest first; two fingers zoom, and with the " +
  "focus the wheel.";

export class Roofline {
  private readonly surface: Surface;
  private readonly card: Card;
  private readonly legend: Legend;
  private readonly limits: Limits;
  private readonly remark = document.createElement("p");
  private readonly ends: (() => void)[] = [];
  private table: Table | null = null;
  private merged: Merged = { points: [], withoutPlace: 0, timeWithoutPlace: 0 };
  private roofs: readonly Roof[] = [];
  private key: ColorKey | null = null;
  private meant: Uint8Array | null = null;
  /** Of the logarithms. */
  private extent: Extent = { x: { from: -1, to: 3 }, y: { from: -1, to: 3 } };
  private x: Span = this.extent.x;
  private placed: readonly PlacedPoint[] = [];
  private hover = -1;

  constructor(
    private readonly host: HTMLElement,
    private readonly model: Model,
    private readonly store: Store,
  ) {
    const controls = new Controls(host);
    const modes = colorModes(groupsOf(model, store.state.side));
    controls.choice("Color", modes, store.state.canvas.color, (mode) =>
      store.setCanvas("color", mode),
    );
    controls.button("All", "show everything (0)", () => this.look(this.extent.x));
    controls.note(HELP);
    this.legend = new Legend(host);
    const frame = document.createElement("div");
    frame.className = "canvas-frame";
    host.append(frame);
    this.surface = new Surface(frame, (drawn) => this.paint(drawn));
    this.surface.height = HEIGHT;
    this.surface.canvas.setAttribute("role", "application");
    this.surface.canvas.setAttribute("aria-label", `Roofline. ${HELP}`);
    this.card = new Card(frame);
    this.limits = new Limits(host);
    host.append(this.remark);
    this.ends.push(
      listen(this.surface.canvas, this.gestures()),
      model.listen(() => this.load()),
      store.listen((state) => this.follow(state)),
    );
    this.load();
  }

  destroy(): void {
    for (const end of this.ends) end();
    this.surface.destroy();
    this.host.replaceChildren();
  }

  private load(): void {
    const table = groupsOf(this.model, this.store.state.side);
    if (!table || table === this.table) return;
    this.table = table;
    this.merged = pointsOf(table);
    const roofs = [
      ...roofsOf("peak", peaksOf(table, this.gemms())),
      ...memoryNamesOf(roofsOf("bandwidth", bandwidthsOf(table))),
    ];
    this.roofs = roofs.filter(({ isMean }) => !isMean);
    this.limits.show(roofs);
    const { x, y } = extentOf(this.merged.points, this.roofs);
    this.extent = { x: logarithms(x), y: logarithms(y) };
    this.x = this.extent.x;
    const { withoutPlace, timeWithoutPlace } = this.merged;
    this.remark.textContent =
      withoutPlace === 0
        ? ""
        : `Not in the picture: ${withoutPlace} groups (${ms(timeWithoutPlace)} ms) that do no ` +
          "arithmetic, or whose FLOPs, bytes or time are unknown. They are in the table below.";
    this.follow(this.store.state);
  }

  private gemms(): Table | undefined {
    const { model, store } = this;
    return model.table("gemms") ?? model.table("gemms", store.state.side);
  }

  private follow(state: State): void {
    const { table, model } = this;
    if (!table) return;
    if (groupsOf(model, state.side) !== table) {
      this.load();
      return;
    }
    this.key = colorKey(table, colorModeOf(state.canvas.color), opColors(model));
    this.legend.show(this.key.legend);
    this.meant = matches(table, state.selection, state.search);
    this.surface.invalidate();
  }

  private paint(frame: Frame): void {
    const { key, meant } = this;
    if (!key) return;
    const longest = this.merged.points[0]?.time ?? 0;
    this.placed = paintRoofline(frame, {
      x: this.x,
      y: this.extent.y,
      roofs: this.roofs,
      points: this.merged.points.map((point) => ({
        point,
        radius: radiusOf(point.time, longest, LARGEST),
        color: key.palette[key.index[point.row] ?? 0] ?? "",
        isMeant: !meant || point.rows.some((row) => meant[row] === 1),
      })),
      hover: this.hover,
    });
  }

  private gestures(): Gestures {
    return {
      zoom: (factor, x) => this.look(zoomed(this.x, factor, this.at(x))),
      pan: (dx) => this.look(panned(this.x, (-dx * lengthOf(this.x)) / this.surface.width)),
      hover: (x, y) => this.point(discAt(this.placed, x, y, NEARBY), x, y),
      leave: () => this.point(-1, 0, 0),
      click: (x, y) => this.select(discAt(this.placed, x, y, NEARBY)),
      key: (key, _, x) => this.pressed(key, x),
    };
  }

  private pressed(key: string, x: number | null): boolean {
    const at = this.at(x ?? this.surface.width / 2);
    if (key === "ArrowRight" || key === "ArrowDown") this.step(1);
    else if (key === "ArrowLeft" || key === "ArrowUp") this.step(-1);
    else if (key === "Enter" || key === " ") this.select(this.hover);
    else if (key === "Escape") this.select(-1);
    else if (key === "w" || key === "+") this.look(zoomed(this.x, ZOOM_STEP, at));
    else if (key === "s" || key === "-") this.look(zoomed(this.x, 1 / ZOOM_STEP, at));
    else if (key === "a") this.look(panned(this.x, -0.2 * lengthOf(this.x)));
    else if (key === "d") this.look(panned(this.x, 0.2 * lengthOf(this.x)));
    else if (key === "0" || key === "Home") this.look(this.extent.x);
    else return false;
    return true;
  }

  private step(by: number): void {
    const count = this.merged.points.length;
    if (count === 0) return;
    const next = this.hover < 0 ? 0 : (this.hover + by + count) % count;
    const disc = this.placed[next];
    this.point(next, disc?.x ?? 0, disc?.y ?? 0);
  }

  private at(x: number): number {
    return this.x.from + (x * lengthOf(this.x)) / this.surface.width;
  }

  private look(x: Span): void {
    this.x = clamp(x, this.extent.x, SHORTEST);
    this.surface.invalidate();
  }

  private point(index: number, x: number, y: number): void {
    if (index !== this.hover) this.surface.invalidate();
    this.hover = index;
    this.surface.canvas.style.cursor = index < 0 ? "" : "pointer";
    const point = this.merged.points[index];
    if (point && this.table) this.card.show(factsOf(this.table, point), x, y);
    else this.card.hide();
  }

  private select(index: number): void {
    const point = this.merged.points[index];
    this.store.selectOnly(point && this.table ? selectionOf(this.table, point.row) : {});
  }
}

const logarithms = (span: Span): Span => ({ from: Math.log10(span.from), to: Math.log10(span.to) });

/** Op, direction, shape and type: what makes a point. */
function selectionOf(table: Table, row: number): Selection {
  const words = SELECTABLE.filter((word) => ["op", "dir", "params", "dtype"].includes(word));
  const known = words.flatMap((word) => {
    const text = table.text(word, row);
    return text === null ? [] : [[word, text] as const];
  });
  return Object.fromEntries(known);
}
