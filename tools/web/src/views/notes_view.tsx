// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { MOST_OF_A_TEXT, Name } from "./name";
import { usePage } from "./page_context";
import { ReportTables } from "./tables_view";

export const NOTE_TABLES = ["losses", "captures", "overhead"];

/** What is missing, estimated or odd; then how the page is used. */
export function NotesView() {
  const { model } = usePage();
  return (
    <>
      <Lines title="Warnings" lines={model.warnings} />
      <ReportTables names={NOTE_TABLES} />
      <Lines title="Notes" lines={model.notes} />
      <section class="card">
        <h2>This page</h2>
        <p>
          Written by prof-report {model.version}; numbers are those of its reports. Unknown is "-",
          "≥" a lower bound, "~" an estimate. The address holds what is selected, sorted and shown:
          copy it to show somebody the same.
        </p>
        <p>
          Keys: <kbd>/</kbd> search, <kbd>Esc</kbd> give up the search or the selection,{" "}
          <kbd>Tab</kbd> next control, arrows and page keys move in tables and canvases.
        </p>
        <p class="faint">
          libprof is under the Apache License 2.0. The page contains Preact (© Jason Miller, MIT)
          and fflate (© Arjun Barrett, MIT).
        </p>
      </section>
    </>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <Name text={line} most={MOST_OF_A_TEXT} />
          </li>
        ))}
      </ul>
    </section>
  );
}
