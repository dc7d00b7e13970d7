// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All tables of the page. Documents come one after the other, small ones first: views ask for a
// table by name and are told when more have come.
import { Column } from "./column";
import type { DocumentData, Side, TableData, TraceData } from "./document";

export class Table {
  readonly name: string;
  readonly report: string;
  readonly side: Side | null;
  readonly title: string;
  /** What to say if it has no rows. */
  readonly missing: string;
  readonly keys: readonly string[];
  readonly rows: number;
  readonly columns: readonly Column[];
  private readonly byWord: ReadonlyMap<string, Column>;

  constructor(data: TableData) {
    this.name = data.name;
    this.report = data.report;
    this.side = data.side;
    this.title = data.title;
    this.missing = data.missing;
    this.keys = data.keys;
    this.rows = data.rows;
    this.columns = data.columns.map((column) => new Column(column, data.rows));
    this.byWord = new Map(this.columns.map((column) => [column.info.word, column]));
  }

  column(word: string): Column | undefined {
    return this.byWord.get(word);
  }

  /** Null where there is no such column, too. */
  text(word: string, row: number): string | null {
    return this.byWord.get(word)?.text(row) ?? null;
  }

  /** NaN where there is no such column, too. */
  number(word: string, row: number): number {
    return this.byWord.get(word)?.number(row) ?? NaN;
  }

  /** Rows that have this text in a column. */
  rowsWith(word: string, text: string): number[] {
    const column = this.byWord.get(word);
    const id = (column?.texts.indexOf(text) ?? -1) + 1;
    if (!column || id === 0) return [];
    const rows: number[] = [];
    column.ids.forEach((other, row) => {
      if (other === id) rows.push(row);
    });
    return rows;
  }
}

export class Model {
  readonly tables: Table[] = [];
  readonly notes: string[] = [];
  readonly warnings: string[] = [];
  readonly errors: string[] = [];
  traces: readonly TraceData[] = [];
  version = "";
  /** Whether all documents are here. */
  isComplete = false;
  private readonly listeners = new Set<() => void>();

  add(document: DocumentData): void {
    this.tables.push(...document.tables.map((table) => new Table(table)));
    addNew(this.notes, document.notes);
    addNew(this.warnings, document.warnings);
    if (this.traces.length === 0) this.traces = document.traces;
    this.version = document.prof_version;
    this.tell();
  }

  addError(text: string): void {
    this.errors.push(text);
    this.tell();
  }

  complete(): void {
    this.isComplete = true;
    this.tell();
  }

  /** Without `side`: of the only side, or of both. */
  table(name: string, side: Side | null = null): Table | undefined {
    return this.tables.find((table) => table.name === name && table.side === side);
  }

  /** Whether it compares two sides. */
  get isDiff(): boolean {
    return this.tables.some((table) => table.side !== null);
  }

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function addNew(to: string[], texts: readonly string[]): void {
  for (const text of texts) if (!to.includes(text)) to.push(text);
}
