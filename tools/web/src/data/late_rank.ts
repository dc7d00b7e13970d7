// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The rank for which the others wait longest: views of several ranks begin with it.
import type { Model, Table } from "./model";

/** The file name of its trace; null: the page has one trace, or no report of stragglers. */
export const lateTrace = (model: Model): string | null =>
  stragglersOf(model)?.text("trace", 0) ?? null;

/** Whether the report names a cause: without one the waits are too short to speak of. */
export const isLateForACause = (model: Model): boolean =>
  (stragglersOf(model)?.text("cause", 0) ?? null) !== null;

const stragglersOf = (model: Model): Table | undefined =>
  model.tables.find(({ name }) => name === "stragglers");
