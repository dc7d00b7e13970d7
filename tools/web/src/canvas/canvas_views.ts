// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The views that are drawn on a canvas, in the order of their tabs.
import type { Model } from "../data/model";
import type { Store } from "../state/store";
import { Icicle } from "./icicle/view";
import { Roofline } from "./roofline/view";
import { Timeline } from "./timeline/view";

export interface CanvasView {
  /** The word in the address. */
  readonly id: string;
  readonly title: string;
  /** Whether the page has data for it. Asked again when more has come. */
  has(model: Model): boolean;
  /** Draws into `element` until the returned function is called. */
  mount(element: HTMLElement, model: Model, store: Store): () => void;
  /** Names of the tables that say the same in text; shown below the canvas. */
  readonly tables: readonly string[];
  /** Names of those that are drawn, and colored by the selection. */
  readonly drawn: readonly string[];
}

type ViewClass = new (host: HTMLElement, model: Model, store: Store) => { destroy(): void };

function viewOf(
  id: string,
  title: string,
  View: ViewClass,
  data: readonly string[],
  tables: readonly string[],
  others: readonly string[] = [],
): CanvasView {
  return {
    id,
    title,
    tables,
    drawn: [...data, ...others],
    has: (model) => model.tables.some(({ name, rows }) => data.includes(name) && rows > 0),
    mount(element, model, store) {
      const view = new View(element, model, store);
      return () => view.destroy();
    },
  };
}

export const CANVAS_VIEWS: readonly CanvasView[] = [
  viewOf("icicle", "Where the time goes", Icicle, ["groups", "diff"], ["groups"]),
  viewOf("roofline", "Roofline", Roofline, ["groups"], ["groups"]),
  viewOf("timeline", "Timeline", Timeline, ["work"], ["links"], ["idle", "ranges"]),
];
