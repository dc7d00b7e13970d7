// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import type { Table } from "../data/model";
import { ACTIVITY_COLORS, CAUSE_COLORS } from "../palette";
import type { Gpu } from "./gpus";
import { MOST_OF_A_TEXT, Name } from "./name";
import { usePage } from "./page_context";
import { summaryLines, type SummaryLine } from "./summary_rows";

interface Part {
  readonly line: SummaryLine;
  readonly color: string;
  /** Why the GPU is idle; null: it is not, or no cause is known. */
  readonly cause: string | null;
}

/** What the GPU does in a step, idle time by its causes: shares of the period in one bar. */
export function StepBar({ summary, gpu }: { summary: Table; gpu: Gpu | undefined }) {
  const { store } = usePage();
  const parts = partsOf(summary, gpu);
  if (parts.length === 0) return null;
  const total = parts.reduce((sum, { line }) => sum + line.sharePct, 0);
  const show = ({ cause }: Part) =>
    cause === null
      ? store.set({ view: "icicle" })
      : store.set({ view: "idle", selection: { cause } });
  return (
    <section class="step-bar" aria-label="Parts of the step">
      <div class="bar" aria-hidden="true">
        {parts.map((part) => (
          <button
            key={part.line.row}
            type="button"
            tabIndex={-1}
            title={`${nameOf(part)}: ${part.line.share} %`}
            class={part.cause === null ? "" : "hatched"}
            style={{ width: `${(100 * part.line.sharePct) / total}%`, backgroundColor: part.color }}
            onClick={() => show(part)}
          />
        ))}
      </div>
      <ul class="legend">
        {parts.map((part) => (
          <li key={part.line.row}>
            <button type="button" class="link" title={part.line.detail} onClick={() => show(part)}>
              <Swatch part={part} />
              {nameOf(part)} <strong>{part.line.share} %</strong>{" "}
              <span class="faint">{part.line.time} ms</span>
            </button>
          </li>
        ))}
      </ul>
      <Causes parts={parts.filter(({ cause, line }) => cause !== null && line.detail)} />
    </section>
  );
}

/** Idle time is hatched, so that no cause looks like work. */
function Swatch({ part }: { part: Part }) {
  const { cause, color } = part;
  const kind = cause === null ? "swatch" : "swatch hatched";
  return <span class={kind} style={{ backgroundColor: color }} />;
}

/** What the words mean, for those who have no mouse to point with, too. */
function Causes({ parts }: { parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  return (
    <details class="causes">
      <summary>What the causes of idle time mean</summary>
      <dl>
        {parts.map(({ line }) => (
          <div key={line.row}>
            <dt>{line.what}</dt>
            <dd>
              <Name text={line.detail} most={MOST_OF_A_TEXT} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function nameOf({ line, cause }: Part): string {
  return cause === null ? line.what : `idle: ${line.what}`;
}

function partsOf(summary: Table, gpu: Gpu | undefined): Part[] {
  const causes: Part[] = summaryLines(summary, "idle", gpu).map((line) => ({
    line,
    color: CAUSE_COLORS[line.what] ?? ACTIVITY_COLORS["idle"] ?? "",
    cause: line.what,
  }));
  const parts = summaryLines(summary, "step", gpu).flatMap((line): Part[] => {
    const color = ACTIVITY_COLORS[line.what];
    if (color === undefined) return [];
    return line.what === "idle" && causes.length > 0 ? causes : [{ line, color, cause: null }];
  });
  return parts.filter(({ line }) => line.sharePct > 0);
}
