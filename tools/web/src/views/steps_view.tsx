// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import type { Table } from "../data/model";
import { cellText } from "../text/cells";
import { usePage } from "./page_context";
import { ReportTables } from "./tables_view";

export const STEP_TABLES = ["steps", "utilization"];

export function StepsView() {
  const { model, state } = usePage();
  const steps = model.table("steps", model.isDiff ? state.side : null);
  return (
    <>
      {steps && steps.rows > 0 && <StepStrip steps={steps} />}
      <ReportTables names={STEP_TABLES} />
    </>
  );
}

/** A bar for each step, as high as its period; those that the report calls unusual stand out. */
function StepStrip({ steps }: { steps: Table }) {
  const { state, store } = usePage();
  const { numbers, highest } = useMemo(() => periodsOf(steps), [steps]);
  const period = steps.column("period_ns");
  return (
    <section class="card" aria-label="Steps">
      <h2>
        Steps <span class="faint">a bar is a step; click to select it</span>
      </h2>
      <ul class="strip">
        {Array.from(numbers, (value, row) => {
          const step = steps.number("step", row);
          const unusual = steps.text("unusual", row);
          const said = `step ${step}: ${period ? cellText(period, row) : ""} ms ${unusual ?? ""}`;
          const isBeyond = value > highest;
          return (
            <li key={row}>
              <button
                type="button"
                title={said}
                aria-label={said}
                aria-pressed={state.step === step}
                class={`${unusual ? "unusual" : ""} ${isBeyond ? "beyond" : ""}`}
                style={{ height: `${Math.max(2, (100 * Math.min(value, highest)) / highest)}%` }}
                onClick={() => store.set({ step: state.step === step ? null : step })}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The scale leaves out the few steps that would make all others flat. */
function periodsOf(steps: Table) {
  const numbers = steps.column("period_ns")?.numbers ?? new Float64Array(0);
  const known = numbers.filter((value) => !Number.isNaN(value)).sort();
  const usual = known[Math.floor(0.9 * (known.length - 1))] ?? 1;
  const highest = Math.min(known.at(-1) ?? 1, 1.5 * usual) || 1;
  return { numbers, highest };
}
