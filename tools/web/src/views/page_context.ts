// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Model } from "../data/model";
import type { State, Store } from "../state/store";

export interface Page {
  readonly model: Model;
  readonly store: Store;
  readonly state: State;
}

const PageContext = createContext<Page | null>(null);
export const PageProvider = PageContext.Provider;

/** The data and the state as they are now. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error("outside of the page");
  return page;
}

/** Draws anew whenever data or state change. */
export function useChanges(model: Model, store: Store): Page {
  const [, setCount] = useState(0);
  useEffect(() => {
    const draw = () => setCount((count) => count + 1);
    const stops = [model.listen(draw), store.listen(draw)];
    draw(); // What changed before this effect ran.
    return () => stops.forEach((stop) => stop());
  }, [model, store]);
  return { model, store, state: store.state };
}
