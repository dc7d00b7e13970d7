// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows as `-f csv` writes them: a header of column words, all digits, absent cells empty.
import { csvText, type GridColumn } from "./grid";

export function toCsv(columns: readonly GridColumn[], rows: Uint32Array): string {
  const lines = [columns.map(({ key }) => field(key)).join(",")];
  for (const row of rows) {
    lines.push(columns.map((column) => field(csvText(column, row))).join(","));
  }
  return lines.join("\n") + "\n";
}

function field(text: string): string {
  return /[,"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Where the page may not write to the clipboard, as in a frame, by a text that is selected. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only other way
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
