// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What changed between two captures, as the report diff says it: beyond chance or not at all.
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { gridOf } from "../grid/grid";
import { ABSENT, cellText } from "../text/cells";
import { GridView } from "./grid_view";
import { MOST_OF_A_TEXT, Name } from "./name";
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

/** What is not alike, the step before and after, then how many ops changed, and in which way. */
export function DiffVerdict() {
  const { model, store } = usePage();
  const diff = model.table("diff");
  if (!diff) return null;
  const told = rowsInOrder(diff, ["period"]).find((row) => diff.text("sentence", row) !== null);
  const others = rowsInOrder(diff, OF_THE_STEP).filter((row) => isWorthALine(diff, row));
  const changed = CHANGES.map((change) => ({
    change,
    count: diff.rowsWith("change", change).length,
  })).filter(({ count }) => count > 0);
  const undecided = undecidedRows(diff);
  const named = rowsInOrder(diff, changed.map(({ change }) => change));
  const largest = (named.length > 0 ? named : undecided).slice(0, MOST_NAMED);
  const isOfDiff = (note: string) => note.startsWith("diff");
  return (
    <section class="card verdict" aria-label="What changed">
      {model.warnings.filter(isOfDiff).map((warning) => (
        <p key={warning} class="warnings">
          <Name text={warning} most={MOST_OF_A_TEXT} />
        </p>
      ))}
      <h2>
        {told === undefined ? (
          "What changed"
        ) : (
          <Name text={diff.text("sentence", told) ?? ""} most={MOST_OF_A_TEXT} />
        )}
      </h2>
      {others.slice(0, MOST_STEP_LINES).map((row) => (
        <StepLine key={row} diff={diff} row={row} />
      ))}
      {others.length > MOST_STEP_LINES && (
        <p class="faint">{others.length - MOST_STEP_LINES} more lines are in What changed.</p>
      )}
      <p>
        {changed.length === 0 ? noneChanged(undecided.length) : "Ops that changed beyond chance: "}
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
        {changed.length > 0 && undecided.length > 0 && `and ${undecided.length} undecided`}
      </p>
      <ul>
        {largest.map((row) => (
          <li key={row}>
            <ChangedOp diff={diff} row={row} />
          </li>
        ))}
      </ul>
      {model.notes.filter(isOfDiff).map((note) => (
        <p key={note} class="faint">
          <Name text={note.replace(/^diff: /, "")} most={MOST_OF_A_TEXT} />
        </p>
      ))}
    </section>
  );
}

/** Ops of which the report cannot say whether their times changed, the largest difference first. */
function undecidedRows(diff: Table): number[] {
  const change = diff.column("change");
  const rows = Array.from({ length: diff.rows }, (_, row) => row);
  return rows.filter((row) => change?.isNull(row) && diff.number("diff_ns", row) !== 0);
}

function noneChanged(undecided: number): string {
  if (undecided === 0) return "No op changed beyond chance.";
  const ops = undecided === 1 ? "1 op that differs" : `${undecided} ops that differ`;
  return `No op is proved to have changed; of ${ops} it cannot be decided:`;
}

/** Waits of under 1 % of the step are none, as in the report's own table. */
function isWorthALine(diff: Table, row: number): boolean {
  const change = diff.text("change", row);
  if (change !== "waits" && change !== "late") return true;
  const period = rowsInOrder(diff, ["period"]).filter((of) => of < row).at(-1) ?? row;
  const most = (of: number) => Math.max(diff.number("base_ns", of), diff.number("new_ns", of));
  return most(row) >= 0.01 * most(period);
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
  const op = diff.text("op", row);
  const layer = diff.text("layer", row);
  const gpu = diff.text("gpu", row);
  const names = [
    op,
    layer && `in ${layer}`,
    diff.text("dir", row),
    diff.text("params", row),
    gpu && `on ${gpu}`,
  ];
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
        <strong>{diff.text("change", row) ?? "undecided"}</strong>{" "}
        <Name text={names.filter(Boolean).join(", ")} />
      </button>{" "}
      {timesText(printer(diff, row))}
    </>
  );
}

/** "0.100 to 0.300 ms (+200.0 %)"; of what is on one side alone its time there. */
function timesText(print: (word: string) => string): string {
  const [base, fresh, percent] = [print("base_ns"), print("new_ns"), print("diff_pct")];
  if (base === ABSENT && fresh === ABSENT) return "";
  if (base === ABSENT || fresh === ABSENT) return `${base === ABSENT ? fresh : base} ms`;
  return `${base} to ${fresh} ms${percent === ABSENT ? "" : ` (${signed(percent)} %)`}`;
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
  const change = print("change");
  const gpu = diff.text("gpu", row);
  const percent = print("diff_pct");
  const times = timesText(print);
  return (
    <p>
      <strong title={STEP_WORDS[change]}>{change}</strong>
      {gpu && (
        <>
          {" of "}
          <Name text={gpu} />
        </>
      )}{" "}
      <strong>{times || (percent === ABSENT ? "" : `${signed(percent)} %`)}</strong>{" "}
      <span class="faint">
        <Name text={[print("detail"), print("why")].filter((t) => t !== ABSENT).join("; ")} />
        {change === "shift" && " (what all ops have in common; changes are beyond it)"}
      </span>
    </p>
  );
}
