// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { gridOf, joinedGrid } from "../grid/grid";
import { GridView } from "./grid_view";
import { usePage } from "./page_context";

/** Beyond it the rows of both sides are shown apart, as rows of single kernels have no partner. */
const MOST_JOINED = 20_000;

export function tablesContent(names: readonly string[]): ComponentType {
  return function TablesContent() {
    return <ReportTables names={names} />;
  };
}

/** The reports of these names that the page has. */
export function ReportTables({ names }: { names: readonly string[] }) {
  const { model, state } = usePage();
  return (
    <>
      {names.map((name) => {
        const both = model.table(name);
        const base = model.table(name, "base");
        const fresh = model.table(name, "new");
        if (both) return <ReportTable key={name} table={both} />;
        if (base && fresh && fresh.keys.length > 0 && fresh.rows <= MOST_JOINED) {
          return <JoinedTable key={name} base={base} fresh={fresh} />;
        }
        const table = model.table(name, state.side);
        return table && <ReportTable key={`${name} ${state.side}`} table={table} />;
      })}
    </>
  );
}

function ReportTable({ table }: { table: Table }) {
  const grid = useMemo(() => gridOf(table), [table]);
  return <GridView grid={grid} title={table.title} missing={table.missing} />;
}

function JoinedTable({ base, fresh }: { base: Table; fresh: Table }) {
  const grid = useMemo(() => joinedGrid(base, fresh), [base, fresh]);
  return <GridView grid={grid} title={`${fresh.title} Before and after.`} />;
}
