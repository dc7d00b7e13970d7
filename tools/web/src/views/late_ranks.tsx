// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { ABSENT, cellText } from "../text/cells";
import { MOST_OF_A_TEXT, Name } from "./name";
import { usePage } from "./page_context";

/** Ranks for which others wait and the cause that the report stragglers names. */
export function LateRanks() {
  const { model, store } = usePage();
  const late = model.table("stragglers");
  if (!late) return null;
  const rows = Array.from({ length: late.rows }, (_, row) => row);
  const named = rows.filter((row) => late.text("cause", row) !== null);
  if (named.length === 0) return null;
  const print = (word: string, row: number) => {
    const column = late.column(word);
    return column ? cellText(column, row) : ABSENT;
  };
  return (
    <section class="card" aria-label="Who the others wait for">
      <h2>Who the others wait for</h2>
      <ul>
        {named.map((row) => (
          <li key={row}>
            <button type="button" class="link" onClick={() => store.set({ view: "ranks" })}>
              <strong>
                <Name text={print("who", row)} />
              </strong>{" "}
              {print("waited_for_ns", row)} ms, {print("share_pct", row)} % of the step
            </button>{" "}
            <span class="faint">
              <Name text={print("why", row)} most={MOST_OF_A_TEXT} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
