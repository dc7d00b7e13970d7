// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { useEffect } from "preact/hooks";
import type { Model } from "./data/model";
import type { Store } from "./state/store";
import { Head } from "./views/head";
import { PageProvider, useChanges } from "./views/page_context";
import { SelectionBar } from "./views/selection_bar";
import { Tabs } from "./views/tabs";
import { viewsOf } from "./views/views";

export function App({ model, store }: { model: Model; store: Store }) {
  const page = useChanges(model, store);
  useEffect(() => listenToKeys(store), [store]);
  const views = viewsOf(model);
  const view = views.find(({ id }) => id === page.state.view) ?? views[0];
  return (
    <PageProvider value={page}>
      <Head view={view} />
      <Tabs views={views} current={view?.id ?? ""} />
      <SelectionBar view={view} />
      <main id="view" tabIndex={-1} aria-label={view?.title}>
        {view && <view.Content key={view.id} />}
        {!model.isComplete && <p class="waiting">Reading the data …</p>}
      </main>
    </PageProvider>
  );
}

/** "/" goes to the search; Escape gives up the search, then the selection. */
function listenToKeys(store: Store): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      document.getElementById("search")?.focus();
    } else if (event.key === "Escape" && !event.defaultPrevented) {
      if (isTyping) event.target.blur();
      if (store.state.search) store.set({ search: "" });
      else if (!isTyping) store.selectOnly({});
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
