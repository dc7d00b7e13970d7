// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers as reports write them: paths whose parts ':' or '.' separates
// (tools/report/filter/layer_view.hpp), and "h.*" for the repeated layers "h.0" to "h.11".

/** Whether a path is `layer`, or inside it. */
export function isInLayer(layer: string): (path: string) => boolean {
  const parts = layer.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  // Whole numbers only, so that each has one place to match: a name may be anything.
  const number = "(?:(?<!\\d)\\d+(?!\\d)|\\*+)";
  const pattern = new RegExp(`^${parts.join(number)}(?:[:.]|$)`, "s");
  return (path) => pattern.test(path);
}

const NUMBER = /^(\d+|\*)$/;

/** Ends of the levels of a path: what is between separators, but a number belongs to the name
 *  before it. "gpt:h.0.attn" has the levels "gpt", "h.0" and "attn". */
export function levelEnds(path: string): number[] {
  const ends: number[] = [];
  let begin = 0;
  for (const end of [...[...path.matchAll(/[:.]/g)].map(({ index }) => index), path.length]) {
    if (NUMBER.test(path.slice(begin, end)) && ends.length > 0) ends.pop();
    ends.push(end);
    begin = end + 1;
  }
  return ends;
}

/** "gpt", "h.0", "attn". */
export function levelsOf(path: string): string[] {
  const ends = levelEnds(path);
  return ends.map((end, i) => path.slice(i === 0 ? 0 : (ends[i - 1] ?? 0) + 1, end));
}
