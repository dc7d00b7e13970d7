// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "./page_context";
import type { View } from "./views";

/** Links, so that a view opens in a tab of its own, too. */
export function Tabs({ views, current }: { views: readonly View[]; current: string }) {
  const { store } = usePage();
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the current one may be out of sight.
  useEffect(() => showCurrent(bar.current), [current, views.length]);
  return (
    <nav class="tabs" aria-label="Views" ref={bar}>
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

/** Scrolls the bar alone: scrollIntoView() moves the page, too. */
function showCurrent(bar: HTMLElement | null): void {
  const tab = bar?.querySelector<HTMLElement>("[aria-current]");
  if (!bar || !tab) return;
  const left = tab.offsetLeft - bar.offsetLeft;
  const isInSight =
    left >= bar.scrollLeft && left + tab.offsetWidth <= bar.scrollLeft + bar.clientWidth;
  if (!isInSight) bar.scrollLeft = left - (bar.clientWidth - tab.offsetWidth) / 2;
}
