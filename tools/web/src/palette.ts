// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Colors of quantities that several views show. From Okabe and Ito's palette, which color-blind
// readers can tell apart; each is named by a text beside it, too.

/** What a GPU does in a step, by the words of the report summary. */
export const ACTIVITY_COLORS: Readonly<Record<string, string>> = {
  computing: "#009e73",
  "exposed collectives": "#cc79a7",
  "exposed copies": "#56b4e9",
  idle: "#b0b0b0",
};

/** Why a GPU is idle, by the words of the report gaps. */
export const CAUSE_COLORS: Readonly<Record<string, string>> = {
  launch: "#e69f00",
  python: "#d55e00",
  synchronize: "#f0e442",
  turnaround: "#999999",
  stream: "#7a6a53",
  copy: "#0072b2",
  allocate: "#a6761d",
  graph: "#8c6bb1",
  load: "#c994c7",
  compile: "#e7298a",
  data: "#66c2a5",
  system: "#525252",
  host: "#b8860b",
  unknown: "#cccccc",
};

/** Any number of names: the palette's colors in turn. */
export const SERIES_COLORS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#8c6bb1",
] as const;
