// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import { csvText, shownText, type Grid } from "../grid/grid";
import { SELECTABLE, type SelectionKey } from "../state/store";
import { ABSENT, meaningOf } from "../text/cells";
import { printable } from "../text/safe";
import { usePage } from "./page_context";
import { markOf } from "./timeline_link";

interface Props {
  readonly grid: Grid;
  readonly row: number;
  readonly onClose: () => void;
}

/** All that is known of a row, in full, with buttons that select its layer, op and so on. */
export function RowFacts({ grid, row, onClose }: Props) {
  const { model, state, store } = usePage();
  const { side } = state;
  const tableCount = model.tables.length;
  const mark = useMemo(
    () => markOf(model, grid, row, side),
    [model, tableCount, grid, row, side],
  );
  const facts = grid.columns
    .map((column) => ({ column, text: shownText(column, row) }))
    .filter(({ text }) => text !== ABSENT);
  return (
    <aside class="facts" aria-label={`Row ${row + 1} of ${grid.name}`}>
      <header>
        <h3>
          Row {row + 1}{" "}
          {mark && (
            <button
              type="button"
              onClick={() => {
                const { time: _, ...others } = state.canvas;
                store.set({ view: "timeline", canvas: { ...others, mark } });
              }}
            >
              {grid.name === "gaps" ? "The longest in the timeline" : "In the timeline"}
            </button>
          )}
        </h3>
        <button type="button" onClick={onClose} aria-label="Close">
          ×
        </button>
      </header>
      <dl>
        {facts.map(({ column, text }) => (
          <div key={column.key}>
            <dt title={column.info.help}>{column.heading}</dt>
            <dd>
              <bdi>{printable(text)}</bdi>
              <span class="faint"> {meaningOf(column.info, text)}</span>
              {isSelectable(column.key) && (
                <button
                  type="button"
                  onClick={() => {
                    const value = csvText(column, row);
                    if (value) store.select({ [column.key]: value });
                  }}
                >
                  only this
                </button>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

function isSelectable(key: string): key is SelectionKey {
  return (SELECTABLE as readonly string[]).includes(key);
}
