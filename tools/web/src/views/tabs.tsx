// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { usePage } from "./page_context";
import type { View } from "./views";

/** Links, so that a view opens in a tab of its own, too. */
export function Tabs({ views, current }: { views: readonly View[]; current: string }) {
  const { store } = usePage();
  return (
    <nav class="tabs" aria-label="Views">
      {views.map(({ id, title }) => (
        <a
          key={id}
          href={`#view=${id}`}
          aria-current={id === current ? "page" : undefined}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            store.set({ view: id });
          }}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}
