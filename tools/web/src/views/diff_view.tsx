// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What changed between two captures, as the report diff says it: beyond chance or not at all.
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { gridOf } from "../grid/grid";
import { ABSENT, cellText } from "../text/cells";
import { GridView } from "./grid_view";
import { Name } from "./name";
import { usePage } from "./page_context";

/** Lines that are about the step, not about an op. */
const OF_THE_STEP = ["period", "shift", "waits", "late"];
/** In the order in which they matter. */
const CHANGES = ["slower", "faster", "added", "removed", "kernel", "moved"];

export function DiffView() {
  const { model } = usePage();
  const diff = model.table("diff");
  const grid = useMemo(() => diff && gridOf(diff), [diff]);
  if (!diff || !grid) return null;
  return (
    <>
      <DiffVerdict />
      <GridView grid={grid} title={diff.title} missing={diff.missing} />
    </>
  );
}

/** The period before and after, then how many ops changed, and in which way. */
export function DiffVerdict() {
  const { model, store } = usePage();
  const diff = model.table("diff");
  if (!diff) return null;
  const changed = CHANGES.map((change) => ({
    change,
    count: diff.rowsWith("change", change).length,
  })).filter(({ count }) => count > 0);
  const said = model.notes.filter((note) => note.startsWith("diff: "));
  return (
    <section class="card verdict" aria-label="What changed">
      <h2>What changed</h2>
      {OF_THE_STEP.flatMap((change) => diff.rowsWith("change", change)).map((row) => (
        <StepLine key={row} diff={diff} row={row} />
      ))}
      <p>
        {changed.length === 0
          ? "No op changed beyond chance."
          : "Ops that changed beyond chance: "}
        {changed.map(({ change, count }) => (
          <button
            key={change}
            type="button"
            onClick={() => {
              store.chooseTable("diff", { filters: { change } });
              store.set({ view: "diff" });
            }}
          >
            {count} {change}
          </button>
        ))}
      </p>
      {said.map((note) => (
        <p key={note} class="faint">
          <Name text={note.slice("diff: ".length)} most={300} />
        </p>
      ))}
    </section>
  );
}

function StepLine({ diff, row }: { diff: Table; row: number }) {
  const print = (word: string) => {
    const column = diff.column(word);
    return column ? cellText(column, row) : ABSENT;
  };
  const gpu = diff.text("gpu", row);
  const percent = print("diff_pct");
  return (
    <p>
      <strong>{print("change")}</strong>
      {gpu && (
        <>
          {" of "}
          <Name text={gpu} />
        </>
      )}{" "}
      {print("base_ns") !== ABSENT && `${print("base_ns")} to ${print("new_ns")} ms `}
      {percent !== ABSENT && <strong>{percent} %</strong>}{" "}
      <span class="faint">
        <Name text={[print("detail"), print("why")].filter((t) => t !== ABSENT).join("; ")} />
      </span>
    </p>
  );
}
