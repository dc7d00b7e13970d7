// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment, toFragment } from "../../src/state/fragment";
import { INITIAL_STATE, Store, type State } from "../../src/state/store";

void test("the fragment holds the whole state", () => {
  const state: State = {
    view: "gemms",
    selection: { layer: "h.0:attn & co", op: "linear#1", rank: "3" },
    step: 7,
    search: "a=b",
    side: "base",
    tables: {
      gemms: { sort: "-time_ns", columns: ["m", "n"], filters: { m: ">100", kernel: "a.b" } },
    },
    canvas: { "icicle.root": "h.0" },
  };
  assert.deepEqual(fromFragment(`#${toFragment(state)}`), state);
  assert.equal(toFragment(INITIAL_STATE), "");
});

void test("a fragment that somebody mistyped is read as far as it goes", () => {
  assert.deepEqual(fromFragment("#step=x&sel.nothing=1&side=left&%%%&=&view=steps"), {
    ...INITIAL_STATE,
    view: "steps",
  });
});

void test("views hear of changes until they stop listening", () => {
  const store = new Store();
  const heard: unknown[] = [];
  const stop = store.listen(({ selection }) => heard.push(selection));
  store.select({ op: "linear", dir: "bprop" });
  store.select({ dir: undefined, layer: "h.0" });
  stop();
  store.selectOnly({});
  assert.deepEqual(heard, [
    { op: "linear", dir: "bprop" },
    { layer: "h.0", op: "linear" },
  ]);
  store.setCanvas("zoom", "1");
  store.setCanvas("zoom", null);
  assert.deepEqual(store.state.canvas, {});
});
