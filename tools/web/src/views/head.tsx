// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the page is about, on every view: the traces, their GPUs, and what the reader must know
// before trusting a number.
import type { Side } from "../data/document";
import { Name } from "./name";
import { usePage } from "./page_context";
import { Search } from "./search";

export function Head() {
  const { model, state, store } = usePage();
  const names = model.traces.map(({ name }) => name);
  const hosts = [...new Set(model.traces.flatMap(({ host }) => host ?? []))];
  return (
    <header class="head">
      <div class="titles">
        <h1>
          <Name text={names.slice(0, 4).join(", ") || "prof-report"} />
          {names.length > 4 && ` and ${names.length - 4} more`}
        </h1>
        <TraceLines />
        {hosts.length > 0 && (
          <p class="faint">
            on <Name text={hosts.join(", ")} />
          </p>
        )}
      </div>
      <div class="controls">
        {model.isDiff && (
          <SideChoice side={state.side} onChange={(side) => store.set({ side })} />
        )}
        <Search />
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

/** What the reports note of each trace: its GPU, and what is shown of it. */
function TraceLines() {
  const { model } = usePage();
  const lines = new Map<string, string>();
  for (const note of model.notes) {
    if (!note.startsWith(TRACE)) continue;
    const line = note.slice(TRACE.length);
    const name = line.split(",", 1)[0] ?? "";
    if (!lines.has(name)) lines.set(name, line);
  }
  return (
    <>
      {[...lines.values()].slice(0, MOST_LINES).map((line) => (
        <p key={line} class="faint">
          <Name text={line} most={240} />
        </p>
      ))}
    </>
  );
}

const TRACE = "trace: ";
const MOST_LINES = 4;

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
