// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page is about, on every view: the traces, their GPUs, and what the reader must know
// before trusting a number.
import type { Side, TraceData } from "../data/document";
import { MOST_OF_A_TEXT, Name } from "./name";
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
          : <Name text={model.warnings[0] ?? ""} most={MOST_OF_A_TEXT} />
        </p>
      )}
    </header>
  );
}

/** What each trace is of: program, GPUs, driver, date, host. Command lines are long: there is one
 *  line, which unfolds. */
function TraceLines() {
  const { model } = usePage();
  const { traces } = model;
  const [first] = traces;
  if (!first) return null;
  const isOne = traces.length === 1;
  return (
    <details class="traces faint">
      <summary>
        <Name text={isOne ? traceLine(first, false) : commonLine(traces)} most={MOST_OF_A_TEXT} />
      </summary>
      {!isOne && (
        <ul>
          {traces.map((trace) => (
            <li key={trace.name}>
              <Name text={traceLine(trace, true)} most={MOST_OF_A_TEXT} />
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** What is alike in all traces, and how many there are. */
function commonLine(traces: readonly TraceData[]): string {
  const common = (of: (trace: TraceData) => string | false | null | undefined) => {
    const [text, ...others] = new Set(traces.map(of));
    return others.length === 0 && text;
  };
  const parts = [
    `${traces.length} traces`,
    common(gpusText),
    common(({ driver }) => driver && `driver ${driver}`),
    common(({ cuda }) => cuda && `CUDA ${cuda}`),
    common(({ started_ns: started }) => !!started && dateText(started)),
    common(({ host }) => host && `on ${host}`),
    common((trace) => trace.command_line),
  ];
  return parts.filter(Boolean).join(" · ");
}

function traceLine(trace: TraceData, isNamed: boolean): string {
  const parts = [
    isNamed && trace.name,
    trace.rank === null ? null : `rank ${trace.rank}`,
    trace.command_line,
    gpusText(trace),
    trace.driver && `driver ${trace.driver}`,
    trace.cuda && `CUDA ${trace.cuda}`,
    trace.started_ns && dateText(trace.started_ns),
    trace.host && `on ${trace.host}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** "2 x NVIDIA H200". */
function gpusText({ gpus = [] }: TraceData): string {
  const names = gpus.flatMap(({ name }) => name ?? []);
  const counts = [...new Set(names)].map((name) => {
    const count = names.filter((other) => other === name).length;
    return count > 1 ? `${count} x ${name}` : name;
  });
  return counts.join(" · ");
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
