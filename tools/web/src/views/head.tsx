// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page is about, on every view: the traces, their GPUs, and what the reader must know
// before trusting a number.
import type { Side, TraceData } from "../data/document";
import { Name } from "./name";
import { usePage } from "./page_context";
import { Search } from "./search";
import type { View } from "./views";

export function Head({ view }: { view: View | undefined }) {
  const { model, state, store } = usePage();
  const names = model.traces.map(({ name }) => name);
  return (
    <header class="head">
      <div class="titles">
        <h1>
          <Name text={names.slice(0, 4).join(", ") || "prof-report"} />
          {names.length > 4 && ` and ${names.length - 4} more`}
        </h1>
        <TraceLines />
      </div>
      <div class="controls">
        {model.isDiff && (
          <SideChoice side={state.side} onChange={(side) => store.set({ side })} />
        )}
        <Search view={view} />
      </div>
      {model.errors.map((text) => (
        <p key={text} class="error" role="alert">
          {text}
        </p>
      ))}
      {model.warnings.length > 0 && (
        <p class="warnings">
          <a
            href="#view=notes"
            onClick={(event) => {
              event.preventDefault();
              store.set({ view: "notes" });
            }}
          >
            {model.warnings.length === 1 ? "1 warning" : `${model.warnings.length} warnings`}
          </a>
          : <Name text={model.warnings[0] ?? ""} most={160} />
        </p>
      )}
    </header>
  );
}

/** What each trace is of: program, GPUs, driver, date, host. */
function TraceLines() {
  const { model } = usePage();
  return (
    <>
      {model.traces.slice(0, MOST_LINES).map((trace) => (
        <p key={trace.name} class="faint">
          <Name text={traceLine(trace, model.traces.length > 1)} most={240} />
        </p>
      ))}
    </>
  );
}

const MOST_LINES = 4;

function traceLine(trace: TraceData, isNamed: boolean): string {
  const gpus = (trace.gpus ?? []).flatMap(({ name }) => name ?? []);
  const counts = [...new Set(gpus)].map((name) => {
    const count = gpus.filter((other) => other === name).length;
    return count > 1 ? `${count} x ${name}` : name;
  });
  const parts = [
    isNamed && trace.name,
    trace.rank === null ? null : `rank ${trace.rank}`,
    trace.command_line,
    ...counts,
    trace.driver && `driver ${trace.driver}`,
    trace.cuda && `CUDA ${trace.cuda}`,
    trace.started_ns && dateText(trace.started_ns),
    trace.host && `on ${trace.host}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** "2026-11-21 16:50 UTC". */
function dateText(startedNs: number): string {
  const date = new Date(startedNs / 1e6);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function SideChoice({ side, onChange }: { side: Side; onChange: (side: Side) => void }) {
  return (
    <fieldset class="sides">
      <legend class="hidden">Side</legend>
      {(["base", "new"] as const).map((value) => (
        <label key={value}>
          <input
            type="radio"
            name="side"
            checked={side === value}
            onChange={() => onChange(value)}
          />
          {value === "base" ? "before" : "after"}
        </label>
      ))}
    </fieldset>
  );
}
