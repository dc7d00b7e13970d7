// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from "preact/hooks";
import type { Model } from "../data/model";
import type { SelectionKey } from "../state/store";
import { Name } from "./name";
import { usePage } from "./page_context";
import { viewShowing, type View } from "./views";

const SEARCHED: readonly SelectionKey[] = ["layer", "op", "kernel", "params", "cause"];
const MOST_HITS = 12;

interface Hit {
  readonly key: SelectionKey;
  readonly value: string;
}

/** Looks in all tables: what is typed filters them, and a hit from the list is selected. Where this
 *  view has nothing to show of it, one that has is opened. */
export function Search({ view }: { view: View | undefined }) {
  const { model, state, store } = usePage();
  const [isOpen, setOpen] = useState(false);
  const text = state.search;
  const tableCount = model.tables.length;
  const hits = useMemo(
    () => (text && isOpen ? hitsOf(model, text) : []),
    [model, tableCount, text, isOpen],
  );
  const take = ({ key, value }: Hit) => {
    const next = viewShowing(model, view, key);
    store.set({ view: next, search: "", selection: { [key]: value } });
    setOpen(false);
  };
  return (
    <div class="search" role="search">
      <input
        id="search"
        type="search"
        placeholder="Search ( / )"
        title="layers, ops, kernels, sizes and causes of idle time"
        aria-label="Search layers, ops and kernels"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onFocus={() => setOpen(true)}
        onInput={({ currentTarget }) => {
          setOpen(true);
          store.set({ search: currentTarget.value });
        }}
        onKeyDown={(event) => {
          const [hit] = hits;
          if (event.key === "Enter" && hit) take(hit);
        }}
      />
      {hits.length > 0 && (
        <ul class="hits" aria-label="Found">
          {hits.map((hit) => (
            <li key={`${hit.key} ${hit.value}`}>
              <button type="button" onClick={() => take(hit)}>
                <span class="faint">{hit.key}</span> <Name text={hit.value} most={80} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function hitsOf(model: Model, text: string): Hit[] {
  const lower = text.toLowerCase();
  const hits: Hit[] = [];
  for (const key of SEARCHED) {
    const found = new Set<string>();
    for (const table of model.tables) {
      const column = table.column(key);
      if (column?.info.type !== "text") continue;
      for (const value of column.texts) if (value.toLowerCase().includes(lower)) found.add(value);
      if (found.size >= MOST_HITS) break;
    }
    for (const value of found) hits.push({ key, value });
  }
  return hits.slice(0, MOST_HITS);
}
