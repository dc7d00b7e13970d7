// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a mark: the cells of its row, as the reports print them.
import { ABSENT, cellText, exactText, heading } from "../../text/cells";
import type { Facts } from "../card";
import type { Track } from "./scene";

/** What the card shows. The panel of a selected mark has every column. */
const CARD: Record<Track["kind"], readonly string[]> = {
  work: [
    "op",
    "dir",
    "layer",
    "params",
    "dtype",
    "time_ns",
    "start_ns",
    "step",
    "queue_ns",
    "roofline_pct",
    "bound",
    "tflop_per_s",
    "gb_per_s",
    "bytes",
    "grid",
    "block",
  ],
  calls: ["launch_ns", "launch_time_ns", "thread", "op", "layer", "step"],
  gaps: ["time_ns", "start_ns", "step", "op", "layer"],
  ranges: ["time_ns", "start_ns", "domain", "thread", "kind"],
};

const NAME: Record<Track["kind"], readonly string[]> = {
  work: ["op", "kernel"],
  calls: ["launch"],
  gaps: ["cause"],
  ranges: ["text"],
};

/** What stands in the mark. */
export function nameOf({ kind, table }: Track, row: number): string {
  for (const word of NAME[kind]) {
    const text = table.text(word, row);
    if (text !== null) return text;
  }
  return "";
}

export function cardOf(track: Track, row: number): Facts {
  const { kind, table } = track;
  const title = (kind === "work" ? table.text("kernel", row) : null) ?? nameOf(track, row);
  const lines = CARD[kind].flatMap((word) => lineOf(track, row, word));
  const cause = kind === "gaps" ? table.column("cause")?.info.values?.[title] : undefined;
  return {
    title: kind === "gaps" ? `idle: ${title}` : title,
    lines: cause ? [["why", cause], ...lines] : lines,
  };
}

/** Everything, under the name of the column; of work also the command that says why. */
export function allFacts(track: Track, row: number, traces: readonly string[] = []): Facts {
  const lines = track.table.columns.flatMap((column) => lineOf(track, row, column.info.word));
  const idx = track.kind === "work" && traces.length > 0 ? track.table.column("idx") : undefined;
  const why: Facts["lines"] = idx ? [["Why", commandOf(exactText(idx, row), traces)]] : [];
  return { title: cardOf(track, row).title, lines: [...lines, ...why] };
}

/** The page has no trace to ask. Copies count in its rows. */
function commandOf(idx: string, traces: readonly string[]): string {
  const [name = ""] = traces;
  const word = /^[\w.@%+:,/-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  return `prof-report -r gpu --explain ${idx} ${traces.length > 1 ? "TRACES" : word}`;
}

function lineOf({ table }: Track, row: number, word: string): (readonly [string, string])[] {
  const column = table.column(word);
  const value = column ? cellText(column, row) : ABSENT;
  return column && value !== ABSENT ? [[heading(column.info), value]] : [];
}
