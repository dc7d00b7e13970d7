// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CanvasView } from "../canvas/canvas_views";
import { usePage } from "./page_context";
import { ReportTables } from "./tables_view";

/** A canvas, and below it the tables that say the same. */
export function canvasContent(view: CanvasView): ComponentType {
  return function CanvasContent() {
    const { model, store } = usePage();
    const place = useRef<HTMLDivElement>(null);
    useEffect(() => {
      if (place.current) return view.mount(place.current, model, store);
      return undefined;
    }, [model, store]);
    return (
      <>
        <section class="canvas" aria-label={view.title}>
          <div ref={place} />
        </section>
        <ReportTables names={view.tables} />
      </>
    );
  };
}
