// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Colors that people with any color vision can tell apart: those of Okabe and Ito, and a ramp that
// rises in lightness. A word has one color in all views.
import { CAUSE_COLORS, SERIES_COLORS } from "../palette";

/** The page's colors, then a lighter and a darker shade of each. */
const SERIES = [
  ...SERIES_COLORS,
  ...SERIES_COLORS.map((hue) => mixed(hue, "#ffffff", 0.45)),
  ...SERIES_COLORS.map((hue) => mixed(hue, "#000000", 0.4)),
];

export const UNKNOWN_COLOR = "#9a9a9a";

/** Words by weight: the heaviest get the colors that differ most, and those past the last one
 *  share a gray. */
export function colorsOf(words: Iterable<readonly [string, number]>): Map<string, string> {
  const sums = new Map<string, number>();
  for (const [word, weight] of words) sums.set(word, (sums.get(word) ?? 0) + weight);
  const heaviest = [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return new Map(heaviest.map(([word], i) => [word, SERIES[i] ?? UNKNOWN_COLOR]));
}

const TINTS = SERIES_COLORS.map((hue) => mixed(hue, "#ffffff", 0.65));

/** A pale color for a name, always the same. */
export function tintOf(name: string): string {
  let hash = 0;
  for (let i = 0; i < Math.min(name.length, 64); ++i) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return TINTS[(hash >>> 0) % TINTS.length] ?? UNKNOWN_COLOR;
}

const DIRECTIONS: Record<string, string> = {
  fprop: "#0072b2",
  bprop: "#e69f00",
  update: "#009e73",
};
const BOUNDS: Record<string, string> = {
  compute: "#d55e00",
  memory: "#0072b2",
  L2: "#56b4e9",
  latency: "#f0e442",
};
const CHANGES: Record<string, string> = {
  slower: "#d55e00",
  faster: "#0072b2",
  kernel: "#cc79a7",
  moved: "#f0e442",
  added: "#e69f00",
  removed: "#56b4e9",
  same: "#b5b5b5",
  undecided: "#d9c8f0",
};

export const directionColor = (word: string): string => DIRECTIONS[word] ?? UNKNOWN_COLOR;
export const boundColor = (word: string): string => BOUNDS[word] ?? UNKNOWN_COLOR;
export const causeColor = (word: string): string => CAUSE_COLORS[word] ?? UNKNOWN_COLOR;
export const changeColor = (word: string): string => CHANGES[word] ?? UNKNOWN_COLOR;

/** From blue to yellow, rising in lightness as cividis does (Nuñez, Anderton and Renslow 2018),
 *  but visible on a dark page, too. */
const RAMP = ["#2c5aa0", "#5a7a9e", "#8a8f87", "#b5a566", "#dcc74a", "#fee838"];

export function rampColor(part: number): string {
  if (!Number.isFinite(part)) return UNKNOWN_COLOR;
  const at = Math.min(1, Math.max(0, part)) * (RAMP.length - 1);
  const below = Math.min(RAMP.length - 2, Math.floor(at));
  return mixed(RAMP[below]!, RAMP[below + 1]!, at - below);
}

/** `part` of the way from one color to another. */
export function mixed(from: string, to: string, part: number): string {
  const [a, b] = [channels(from), channels(to)];
  const hex = a.map((value, i) =>
    Math.round(value + (b[i]! - value) * part)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${hex.join("")}`;
}

/** Black or white, whichever reads better on the color (WCAG's relative luminance). */
export function inkOn(color: string): string {
  const cached = inks.get(color);
  if (cached) return cached;
  const [red, green, blue] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  const ink = luminance > 0.179 ? "#000000" : "#ffffff";
  inks.set(color, ink);
  return ink;
}
const inks = new Map<string, string>();

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}
