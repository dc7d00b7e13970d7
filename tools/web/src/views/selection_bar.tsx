// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { SELECTABLE } from "../state/store";
import { Name } from "./name";
import { usePage } from "./page_context";
import { isChosenBy, viewShowing, viewsOf, type View } from "./views";

/** What is selected, each part with a button that frees it. */
export function SelectionBar({ view }: { view: View | undefined }) {
  const { state, store } = usePage();
  const parts = SELECTABLE.flatMap((key) => {
    const value = state.selection[key];
    return value === undefined ? [] : [{ key, value }];
  });
  const isEmpty = parts.length === 0 && state.step === null && !state.search;
  if (isEmpty) return null;
  return (
    <div class="selection" role="region" aria-label="Selection">
      <span class="faint">Only</span>
      {parts.map(({ key, value }) => (
        <Part
          key={key}
          name={key}
          value={value}
          onRemove={() => store.select({ [key]: undefined })}
        />
      ))}
      {state.step !== null && (
        <Part name="step" value={String(state.step)} onRemove={() => store.set({ step: null })} />
      )}
      {state.search && (
        <Part name="text" value={state.search} onRemove={() => store.set({ search: "" })} />
      )}
      <button
        type="button"
        onClick={() => store.set({ selection: {}, step: null, search: "" })}
      >
        Show all
      </button>
      {view && <WithoutEffect view={view} />}
    </div>
  );
}

/** Which parts this view cannot follow, and the way to one that can. */
function WithoutEffect({ view }: { view: View }) {
  const { model, state, store } = usePage();
  const words: string[] = SELECTABLE.filter((key) => state.selection[key] !== undefined);
  if (state.step !== null) words.push("step");
  const without = words.filter((word) => !isChosenBy(model, view, word));
  // Tables look for the text in all columns.
  if (state.search && view.chosenFrom.length === 0) without.push("text");
  const [first] = without;
  if (first === undefined) return null;
  const shown = viewShowing(model, view, first === "text" ? "kernel" : first);
  const next = viewsOf(model).find(({ id }) => id === shown);
  return (
    <span class="faint" role="note">
      {`${view.title} is not filtered by ${without.join(", ")}.`}{" "}
      {next && next.id !== view.id && (
        <button type="button" onClick={() => store.set({ view: next.id })}>
          {`Show in ${next.title}`}
        </button>
      )}
    </span>
  );
}

function Part(props: { name: string; value: string; onRemove: () => void }) {
  const { name, value, onRemove } = props;
  return (
    <span class="part">
      <span class="faint">{name}</span> <Name text={value} most={48} />
      <button type="button" aria-label={`Do not select by ${name}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
