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
import { shownColumns } from "./shown_columns";

/** Lines that are about the step, not about an op. */
const OF_THE_STEP = ["period", "shift", "waits", "late"];
/** In the order in which they matter. */
const CHANGES = ["slower", "faster", "added", "removed", "kernel", "moved"];

export function DiffView() {
  const { model } = usePage();
  const diff = model.table("diff");
  const grid = useMemo(() => diff && gridOf(diff, shownColumns(diff)), [diff]);
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
  const period = onlyPeriod(diff);
  const others = rowsInOrder(diff, OF_THE_STEP).filter((row) => row !== period);
  const changed = CHANGES.map((change) => ({
    change,
    count: diff.rowsWith("change", change).length,
  })).filter(({ count }) => count > 0);
  const largest = rowsInOrder(diff, changed.map(({ change }) => change)).slice(0, MOST_NAMED);
  const said = model.notes.filter((note) => note.startsWith("diff: "));
  return (
    <section class="card verdict" aria-label="What changed">
      <h2>What changed</h2>
      <Sentence diff={diff} period={period} changed={changed} />
      {others.slice(0, MOST_STEP_LINES).map((row) => (
        <StepLine key={row} diff={diff} row={row} />
      ))}
      {others.length > MOST_STEP_LINES && (
        <p class="faint">{others.length - MOST_STEP_LINES} more lines are in What changed.</p>
      )}
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
      <ul>
        {largest.map((row) => (
          <li key={row}>
            <ChangedOp diff={diff} row={row} />
          </li>
        ))}
      </ul>
      {said.map((note) => (
        <p key={note} class="faint">
          <Name text={note.slice("diff: ".length)} most={300} />
        </p>
      ))}
    </section>
  );
}

interface Count {
  readonly change: string;
  readonly count: number;
}

/** The row of the period; undefined: none is known, or each of several GPUs has its own. */
function onlyPeriod(diff: Table): number | undefined {
  const [row, ...others] = diff.rowsWith("change", "period");
  const isKnown = row !== undefined && others.length === 0;
  return isKnown && !Number.isNaN(diff.number("base_ns", row)) ? row : undefined;
}

interface Verdict {
  readonly diff: Table;
  readonly period: number | undefined;
  readonly changed: readonly Count[];
}

/** The verdict in words: the period, how many ops changed, and which of them most. */
function Sentence({ diff, period, changed }: Verdict) {
  const [largest] = rowsInOrder(diff, ["slower", "faster"]);
  const count = (change: string) => changed.find((one) => one.change === change)?.count ?? 0;
  const print = period === undefined ? null : printer(diff, period);
  const slower = `${count("slower")} ${count("slower") === 1 ? "op is" : "ops are"} slower`;
  return (
    <p class="sentence">
      {print && (
        <>
          The step took <strong>{print("base_ns")} ms</strong> before and{" "}
          <strong>{print("new_ns")} ms</strong> after ({signed(print("diff_pct"))} %
          {print("detail") !== ABSENT && (
            <>
              , <Name text={print("detail")} />
            </>
          )}
          ).{" "}
        </>
      )}
      {largest === undefined ? (
        "No op is slower or faster beyond chance."
      ) : (
        <>
          Beyond chance, {slower} and {count("faster")} faster. The largest change:{" "}
          <ChangedOp diff={diff} row={largest} />.
        </>
      )}
    </p>
  );
}

/** A growth says that it is one. */
const signed = (percent: string): string =>
  /^[\d,.]*[1-9]/.test(percent) ? `+${percent}` : percent;

/** Of the verdict; the table has all. */
const MOST_NAMED = 6;
const MOST_STEP_LINES = 12;

/** Rows with one of these changes, the largest difference first, as the report has them. */
function rowsInOrder(diff: Table, changes: readonly string[]): number[] {
  return changes.flatMap((change) => diff.rowsWith("change", change)).sort((a, b) => a - b);
}

function ChangedOp({ diff, row }: { diff: Table; row: number }) {
  const { store } = usePage();
  const print = printer(diff, row);
  const op = diff.text("op", row);
  const layer = diff.text("layer", row);
  const names = [op, layer && `in ${layer}`, diff.text("dir", row), diff.text("params", row)];
  const times = print("diff_ns") !== ABSENT;
  return (
    <>
      <button
        type="button"
        class="link"
        onClick={() =>
          store.set({
            view: "diff",
            selection: { ...(layer && { layer }), ...(op && { op }) },
          })
        }
      >
        <strong>{print("change")}</strong> <Name text={names.filter(Boolean).join(", ")} />
      </button>{" "}
      {times && `${print("base_ns")} to ${print("new_ns")} ms (${print("diff_pct")} %)`}
    </>
  );
}

function printer(table: Table, row: number): (word: string) => string {
  return (word) => {
    const column = table.column(word);
    return column ? cellText(column, row) : ABSENT;
  };
}

/** What the words of the report's lines about the step mean. */
const STEP_WORDS: Readonly<Record<string, string>> = {
  period: "from the start of one step to the next: the median of the steady steps",
  shift: "what all ops have in common, as from other clocks; ops changed if they differ from it",
  waits: "time in which the GPU waits for other ranks and computes nothing",
  late: "how long the rank that waits longest waits for this one",
};

function StepLine({ diff, row }: { diff: Table; row: number }) {
  const print = printer(diff, row);
  const gpu = diff.text("gpu", row);
  const percent = print("diff_pct");
  return (
    <p>
      <strong title={STEP_WORDS[print("change")]}>{print("change")}</strong>
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
        {print("change") === "shift" && " (what all ops have in common; changes are beyond it)"}
      </span>
    </p>
  );
}
