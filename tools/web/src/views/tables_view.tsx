// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import type { ComponentType } from "preact";
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { gridOf, joinedGrid } from "../grid/grid";
import { GridView } from "./grid_view";
import { usePage } from "./page_context";
import { shownColumns } from "./shown_columns";

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
        if (both) return <ReportTable key={name} table={both} />;
        const base = model.table(name, "base");
        const fresh = model.table(name, "new");
        const keys = JOIN_KEYS[name];
        if (base && fresh && keys) {
          return <JoinedTable key={name} base={base} fresh={fresh} keys={keys} />;
        }
        const table = state.side === "base" ? base : fresh;
        return table && <ReportTable key={`${name} ${state.side}`} table={table} />;
      })}
    </>
  );
}

/** What makes a row of both sides the same; other tables are shown for one side at a time. */
const JOIN_KEYS: Readonly<Record<string, readonly string[]>> = {
  groups: ["rank", "layer", "op", "dir", "params", "dtype"],
  gaps: ["rank", "device", "section", "cause", "op"],
  launch: ["rank", "op", "dir", "origin"],
  gemms: ["rank", "m", "n", "k", "batch", "dtype", "layout"],
  memory: ["rank", "copy", "memory", "memory_to", "launch", "op"],
  comm: ["rank", "op", "dir", "message_bytes", "params", "dtype"],
};

function ReportTable({ table }: { table: Table }) {
  const grid = useMemo(() => gridOf(table, shownColumns(table)), [table]);
  return <GridView grid={grid} title={table.title} missing={table.missing} />;
}

function JoinedTable(props: { base: Table; fresh: Table; keys: readonly string[] }) {
  const { base, fresh, keys } = props;
  const grid = useMemo(
    () => joinedGrid(base, fresh, keys, shownColumns(fresh)),
    [base, fresh, keys],
  );
  return <GridView grid={grid} title={`${fresh.title}; before and after`} />;
}
