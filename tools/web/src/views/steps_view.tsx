// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { cellText } from "../text/cells";
import { printable } from "../text/safe";
import { usePage } from "./page_context";
import { ReportTables } from "./tables_view";

export const STEP_TABLES = ["steps", "utilization"];

export function StepsView() {
  const { model, state } = usePage();
  const steps = model.table("steps", model.isDiff ? state.side : null);
  return (
    <>
      {steps && steps.rows > 0 && <StepStrips steps={steps} />}
      <ReportTables names={STEP_TABLES} />
    </>
  );
}

/** More strips or bars than this say nothing to the eye; the table below has all. */
const MOST_STRIPS = 8;
const MOST_BARS = 2000;

/** A strip for each GPU, with a bar for each step. */
function StepStrips({ steps }: { steps: Table }) {
  const gpus = useMemo(() => rowsByGpu(steps), [steps]);
  const names = [...gpus.keys()];
  const isCut = names.length > MOST_STRIPS || [...gpus.values()].some((r) => r.length > MOST_BARS);
  return (
    <section class="card" aria-label="Steps">
      <h2>
        Steps <span class="faint">a bar is a step, as high as its period; click to select it</span>
      </h2>
      {names.slice(0, MOST_STRIPS).map((name) => (
        <div key={name}>
          {names.length > 1 && <h3>{name}</h3>}
          <StepStrip steps={steps} rows={gpus.get(name)?.slice(0, MOST_BARS) ?? []} />
        </div>
      ))}
      {isCut && (
        <p class="faint">
          {`At most ${MOST_STRIPS} GPUs and ${MOST_BARS} steps of each; the table has all.`}
        </p>
      )}
    </section>
  );
}

function rowsByGpu(steps: Table): Map<string, number[]> {
  const gpus = new Map<string, number[]>();
  for (let row = 0; row < steps.rows; ++row) {
    const rank = steps.number("rank", row);
    const device = `GPU ${steps.number("device", row)}`;
    const name = Number.isNaN(rank) ? device : `rank ${rank}, ${device}`;
    const rows = gpus.get(name);
    if (rows) rows.push(row);
    else gpus.set(name, [row]);
  }
  return gpus;
}

/** Steps that the report calls unusual stand out. */
function StepStrip({ steps, rows }: { steps: Table; rows: readonly number[] }) {
  const { state, store } = usePage();
  const highest = useMemo(() => highestShown(steps, rows), [steps, rows]);
  const period = steps.column("period_ns");
  return (
    <ul class="strip">
      {rows.map((row) => {
        const value = steps.number("period_ns", row);
        const step = steps.number("step", row);
        const unusual = steps.text("unusual", row);
        const said = `step ${step}: ${period ? cellText(period, row) : ""} ms ${unusual ?? ""}`;
        return (
          <li key={row}>
            <button
              type="button"
              title={printable(said)}
              aria-label={printable(said)}
              aria-pressed={state.step === step}
              class={`${unusual ? "unusual" : ""} ${value > highest ? "beyond" : ""}`}
              style={{ height: `${Math.max(2, (100 * Math.min(value, highest)) / highest) || 2}%` }}
              onClick={() => store.set({ step: state.step === step ? null : step })}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** The scale leaves out the few steps that would make all others flat. */
function highestShown(steps: Table, rows: readonly number[]): number {
  const periods = Float64Array.from(rows, (row) => steps.number("period_ns", row));
  const known = periods.filter((value) => !Number.isNaN(value)).sort();
  const usual = known[Math.floor(0.9 * (known.length - 1))] ?? 1;
  return Math.min(known.at(-1) ?? 1, 1.5 * usual) || 1;
}
