// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { copyText, toCsv } from "../grid/csv";
import type { Grid, GridColumn } from "../grid/grid";
import { usePage } from "./page_context";

interface Props {
  readonly grid: Grid;
  readonly title: string;
  readonly columns: readonly GridColumn[];
  readonly rows: Uint32Array;
}

/** The table's title, its columns to choose, and a copy of what is shown. */
export function GridTools({ grid, title, columns, rows }: Props) {
  const [said, say] = useState("");
  const copy = async () => {
    const isCopied = await copyText(toCsv(columns, rows));
    say(isCopied ? "copied" : "the browser does not let this page copy");
  };
  return (
    <header class="tools">
      <h2>
        {grid.report} <span class="faint">{title}</span>
      </h2>
      <span class="faint" role="status">
        {said}
      </span>
      <ColumnChoice grid={grid} columns={columns} />
      <button type="button" onClick={() => void copy()}>
        Copy as CSV
      </button>
    </header>
  );
}

function ColumnChoice({ grid, columns }: { grid: Grid; columns: readonly GridColumn[] }) {
  const { store } = usePage();
  const shown = new Set(columns.map(({ key }) => key));
  const choose = (key: string, isShown: boolean) => {
    if (isShown) shown.add(key);
    else shown.delete(key);
    const keys = grid.columns.map((column) => column.key).filter((other) => shown.has(other));
    store.chooseTable(grid.name, { columns: keys });
  };
  return (
    <details class="choice">
      <summary>Columns</summary>
      <div class="choices">
        {grid.columns.map(({ key, heading, info }) => (
          <label key={key} title={info.help}>
            <input
              type="checkbox"
              checked={shown.has(key)}
              onChange={({ currentTarget }) => choose(key, currentTarget.checked)}
            />
            {heading} <span class="faint">{key}</span>
          </label>
        ))}
        <button
          type="button"
          onClick={() => store.chooseTable(grid.name, { columns: undefined })}
        >
          As in the report
        </button>
      </div>
    </details>
  );
}
