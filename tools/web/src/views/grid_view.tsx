// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A table that scrolls through any number of rows: only those in sight are elements.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { chosenRows } from "../grid/conditions";
import { gridColumn, type Grid, type GridColumn } from "../grid/grid";
import { orderedRows } from "../grid/order";
import { grouped } from "../text/numbers";
import { GridHead } from "./grid_head";
import { GridRow } from "./grid_row";
import { GridTools } from "./grid_tools";
import { usePage } from "./page_context";
import { RowFacts } from "./row_facts";

const ROW_HEIGHT = 24;
const MOST_ROWS_IN_SIGHT = 20;
/** Browsers draw no higher elements; beyond, the scroll bar moves several rows at once. */
const MOST_HEIGHT = 8_000_000;
/** Drawn above and below what is in sight. */
const MARGIN = 6;

interface Props {
  readonly grid: Grid;
  readonly title: string;
  /** What to say if it has no rows. */
  readonly missing?: string;
}

export function GridView({ grid, title, missing }: Props) {
  const { state, store } = usePage();
  const choice = state.tables[grid.name] ?? {};
  const filters = choice.filters ?? NO_FILTERS;
  const { selection, step, search } = state;
  const chosen = useMemo(
    () => chosenRows(grid, { selection, step, search }, filters),
    [grid, selection, step, search, filters],
  );
  const rows = useMemo(() => orderedRows(grid, chosen, choice.sort), [grid, chosen, choice.sort]);
  const keys = choice.columns ?? grid.shown;
  const columns = useMemo(
    () => keys.map((key) => gridColumn(grid, key)).filter((column) => column !== undefined),
    [grid, keys],
  );
  const [open, setOpen] = useState<number | null>(null);
  const isEmpty = grid.rows === 0;
  return (
    <section class="table" aria-label={title}>
      <GridTools grid={grid} title={title} columns={columns} rows={rows} />
      {isEmpty && <p class="faint">{missing ?? "nothing"}</p>}
      {!isEmpty && (
        <Scroller
          grid={grid}
          columns={columns}
          rows={rows}
          sort={choice.sort}
          filters={filters}
          open={open}
          onOpen={setOpen}
          onSort={(sort) => store.chooseTable(grid.name, { sort })}
          onFilter={(key, text) =>
            store.chooseTable(grid.name, { filters: { ...filters, [key]: text } })
          }
        />
      )}
      {rows.length > MOST_ROWS_IN_SIGHT && (
        <p class="printed">Printed are the rows in sight, of {grouped(String(rows.length))}.</p>
      )}
      {rows.length < grid.rows && (
        <p class="faint">
          {grouped(String(rows.length))} of {grouped(String(grid.rows))} rows
        </p>
      )}
      {open !== null && <RowFacts grid={grid} row={open} onClose={() => setOpen(null)} />}
    </section>
  );
}

const NO_FILTERS: Readonly<Record<string, string>> = {};

interface ScrollerProps {
  readonly grid: Grid;
  readonly columns: readonly GridColumn[];
  readonly rows: Uint32Array;
  readonly sort: string | undefined;
  readonly filters: Readonly<Record<string, string>>;
  readonly open: number | null;
  readonly onOpen: (row: number | null) => void;
  readonly onSort: (sort: string | undefined) => void;
  readonly onFilter: (key: string, text: string) => void;
}

function Scroller(props: ScrollerProps) {
  const { columns, rows, open, onOpen } = props;
  const place = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const inSight = Math.min(rows.length, MOST_ROWS_IN_SIGHT);
  const height = Math.min(rows.length * ROW_HEIGHT, MOST_HEIGHT);
  const furthest = Math.max(0, rows.length - inSight);
  // From pixels to rows; 1 / ROW_HEIGHT unless the table is higher than browsers draw.
  const range = height - inSight * ROW_HEIGHT;
  const perPixel = range > 0 ? furthest / range : 0;
  useEffect(() => setFirst((row) => Math.min(row, furthest)), [furthest]);
  const from = Math.max(0, first - MARGIN);
  const to = Math.min(rows.length, first + inSight + MARGIN);
  const moveTo = (index: number) => {
    const clamped = Math.max(0, Math.min(rows.length - 1, index));
    const element = place.current;
    if (!element) return;
    const wanted = clamped < first ? clamped : Math.max(first, clamped - inSight + 1);
    if (wanted !== first && perPixel > 0) element.scrollTop = wanted / perPixel;
    onOpen(rows[clamped] ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.target instanceof HTMLInputElement || step === undefined) return;
    event.preventDefault();
    const at = open === null ? first - Math.sign(step) : rows.indexOf(open);
    moveTo(Number.isFinite(step) ? at + step : step < 0 ? 0 : rows.length - 1);
  };
  const top = perPixel > 0 ? first / perPixel - (first - from) * ROW_HEIGHT : 0;
  return (
    <div
      ref={place}
      class="scroller"
      tabIndex={0}
      style={{ maxHeight: `${(MOST_ROWS_IN_SIGHT + 3) * ROW_HEIGHT}px` }}
      onScroll={({ currentTarget }) =>
        setFirst(Math.min(furthest, Math.round(currentTarget.scrollTop * perPixel)))
      }
      onKeyDown={onKeyDown}
    >
      <table role="grid" aria-rowcount={rows.length + 1}>
        <GridHead {...props} />
        <tbody>
          <tr style={{ height: `${Math.max(0, top)}px` }} aria-hidden="true" />
          {/* Keys repeat, so that what scrolls out becomes what scrolls in. */}
          {Array.from(rows.subarray(from, to), (row, i) => (
            <GridRow
              key={(from + i) % (MOST_ROWS_IN_SIGHT + 2 * MARGIN)}
              columns={columns}
              row={row}
              index={from + i}
              isOpen={row === open}
              onOpen={onOpen}
            />
          ))}
          <tr
            style={{ height: `${Math.max(0, height - top - (to - from) * ROW_HEIGHT)}px` }}
            aria-hidden="true"
          />
        </tbody>
      </table>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: MOST_ROWS_IN_SIGHT,
  PageUp: -MOST_ROWS_IN_SIGHT,
  Home: -Infinity,
  End: Infinity,
};
