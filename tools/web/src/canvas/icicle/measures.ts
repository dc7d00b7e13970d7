// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of a node: sums over its groups. Each group is a line of a report.
import type { Table } from "../../data/model";
import { rowsBelow, type TreeNode } from "./tree";

export interface Measures {
  /** 1 unless all groups are dimmed. */
  readonly isMeant: boolean;
  /** The word that takes longest in the node, and whether it is the only one. */
  readonly word: string | null;
  readonly isOnly: boolean;
  /** Mean by time of the groups that have it; NaN: none has. */
  readonly limitPct: number;
}

export type Measured = ReadonlyMap<TreeNode, Measures>;

/** Of each node. `word` names the column whose words are weighed. */
export function measure(
  root: TreeNode,
  table: Table,
  word: string,
  timeWord: string,
  meant: Uint8Array | null,
): Measured {
  const words = table.column(word);
  const times = table.column(timeWord)?.numbers;
  const limits = table.column("roofline_pct")?.numbers;
  const measured = new Map<TreeNode, Measures>();
  const see = (node: TreeNode): Sums => {
    const sums = new Sums();
    for (const row of node.rows) {
      const limit = limits?.[row] ?? NaN;
      sums.add(times?.[row] ?? 0, words?.text(row) ?? null, limit, meant?.[row] !== 0);
    }
    for (const child of node.children) sums.join(see(child));
    measured.set(node, sums.result());
    return sums;
  };
  see(root);
  return measured;
}

class Sums {
  private readonly times = new Map<string | null, number>();
  private limited = 0;
  private weighted = 0;
  private isMeant = false;

  add(time: number, word: string | null, limit: number, isMeant: boolean): void {
    this.times.set(word, (this.times.get(word) ?? 0) + time);
    this.isMeant ||= isMeant;
    if (Number.isNaN(limit)) return;
    this.limited += time;
    this.weighted += time * limit;
  }

  join(other: Sums): void {
    for (const [word, time] of other.times) {
      this.times.set(word, (this.times.get(word) ?? 0) + time);
    }
    this.isMeant ||= other.isMeant;
    this.limited += other.limited;
    this.weighted += other.weighted;
  }

  result(): Measures {
    let word: string | null = null;
    let most = -1;
    for (const [name, time] of this.times) if (time > most) [word, most] = [name, time];
    const { isMeant } = this;
    return { isMeant, word, isOnly: this.times.size === 1, limitPct: this.weighted / this.limited };
  }
}

/** What changed below a node, as report diff says it. */
export interface Changes {
  /** Ops with a change beyond chance. */
  readonly changed: number;
  /** Ops of which it cannot be decided. */
  readonly undecided: number;
  readonly ops: number;
  /** Of the changed ones: how much longer they take. NaN: on one side alone. */
  readonly diffNs: number;
  /** Of the only change, or of all. */
  readonly word: string | null;
}

const SAME = "same";
/** The report has no word for it. */
export const UNDECIDED = "undecided";

export function changesOf(node: TreeNode, table: Table): Changes {
  const words = new Set<string | null>();
  let [changed, undecided, ops, diffNs] = [0, 0, 0, 0];
  for (const row of rowsBelow(node)) {
    const change = table.text("change", row);
    ops += 1;
    if (change === null) undecided += 1;
    if (change === null || change === SAME) continue;
    changed += 1;
    words.add(change);
    diffNs += table.number("diff_ns", row) || 0;
  }
  const [word = null] = words;
  return { changed, undecided, ops, diffNs, word: words.size === 1 ? word : null };
}
