// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of the timeline: which ones are shown, how high the picture is, and how far they are
// scrolled.
import { isLateForACause, lateTrace } from "../../data/late_rank";
import type { Model, Table } from "../../data/model";
import type { State } from "../../state/store";
import type { Span } from "../axis";
import type { Surface } from "../surface";
import {
  arrange,
  AXIS,
  extentOf,
  filledTracks,
  foldAt,
  isOneTrace,
  type Heading,
  type Hit,
  type Layout,
} from "./layout";
import { rankLinks, type RankLink } from "./links";
import type { Scene, Track } from "./scene";

/** Of the window's height: most that the picture takes, and most that what is below it gets. */
const MOST_HEIGHT = 0.75;
const MOST_BELOW = 0.35;
const LEAST_HEIGHT = 240;
/** Between a mark that is revealed and the edge. */
const ROOM = 16;

export class Rows {
  layout: Layout = { tracks: [], headings: [], folds: [], height: 0 };
  links: readonly RankLink[] = [];
  /** Of the rank for which the others wait. */
  late: Heading | null = null;
  scroll = 0;
  /** Those with anything in what is shown, or was since the last jump. The others are folded. */
  private filled: ReadonlySet<Track> = new Set();
  private fitting = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly surface: Surface,
    private readonly model: Model,
  ) {}

  destroy(): void {
    cancelAnimationFrame(this.fitting);
  }

  /** A jump finds out anew which rows are empty. While the reader moves, rows come, but none goes
   *  away under the mouse. True: others are empty than before. */
  fill(scene: Scene, span: Span, isJump: boolean): boolean {
    const { filled: before } = this;
    const now = filledTracks(scene, span);
    this.filled = isJump ? now : new Set([...before, ...now]);
    return this.filled.size !== before.size || [...this.filled].some((one) => !before.has(one));
  }

  arrange(scene: Scene, state: State, collectives: Table | undefined): void {
    const { model, filled } = this;
    const empty = state.canvas.empty === "shown";
    const layout = arrange(scene, { threads: hasThreads(scene, state), filled, empty });
    const late = isLateForACause(model) ? lateTrace(model) : null;
    this.layout = layout;
    this.links = collectives ? rankLinks(collectives, layout) : [];
    this.late = layout.headings.find(({ trace }) => trace !== "" && trace === late) ?? null;
    this.fit();
  }

  /** As high as the rows, with room for what stands below the picture: facts must not cover the
   *  marks that they are about. */
  private fit(): void {
    const { top, bottom } = this.surface.canvas.getBoundingClientRect();
    const below = this.host.getBoundingClientRect().bottom - bottom;
    const reserved = Math.min(below, innerHeight * MOST_BELOW);
    const room = below >= 1 ? innerHeight - (top + scrollY) - reserved : Infinity;
    const most = Math.max(LEAST_HEIGHT, Math.min(room, innerHeight * MOST_HEIGHT));
    this.surface.height = Math.min(this.layout.height, most);
    this.scrollTo(this.scroll);
  }

  /** When all that changes around the picture is in its place. */
  fitSoon(selected: Hit | null): void {
    cancelAnimationFrame(this.fitting);
    this.fitting = requestAnimationFrame(() => {
      this.fit();
      this.reveal(selected);
    });
  }

  /** Scrolls to the lane of the mark, if it is out of sight. */
  reveal(hit: Hit | null): void {
    const extent = hit && extentOf(this.layout, hit.lane);
    if (!extent) return;
    const least = extent.top + extent.height + ROOM - this.surface.height;
    const most = extent.top - AXIS - ROOM;
    this.scrollTo(Math.min(most, Math.max(least, this.scroll)));
  }

  scrollTo(scroll: number): void {
    const most = Math.max(0, this.layout.height - this.surface.height);
    this.scroll = Math.min(most, Math.max(0, scroll));
    this.surface.invalidate();
  }

  scrollToLate(): void {
    if (this.late) this.scrollTo(this.late.top - AXIS);
  }

  /** Whether the line that stands for empty rows is at a height of the picture. */
  isFold(y: number): boolean {
    return y >= AXIS && foldAt(this.layout, y + this.scroll) !== undefined;
  }
}

/** Unless the reader says otherwise, those of one trace are shown. */
export function hasThreads(scene: Scene, { canvas }: State): boolean {
  return canvas.threads ? canvas.threads !== "hidden" : isOneTrace(scene);
}
