// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The views that are drawn on a canvas, in the order of their tabs.
import type { Model } from "../data/model";
import type { Store } from "../state/store";

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
}

export const CANVAS_VIEWS: readonly CanvasView[] = [];
