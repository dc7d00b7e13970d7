// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { memo } from "preact/compat";
import { shownText, type GridColumn } from "../grid/grid";
import { meaningOf } from "../text/cells";
import { Name } from "./name";

interface Props {
  readonly columns: readonly GridColumn[];
  readonly row: number;
  readonly index: number;
  readonly isOpen: boolean;
  readonly onOpen: (row: number | null) => void;
}

function Cell({ column, row }: { column: GridColumn; row: number }) {
  const text = shownText(column, row);
  const meaning = meaningOf(column.info, text);
  return meaning ? <span title={meaning}>{text}</span> : <Name text={text} most={60} />;
}

/** Its facts open with a click, or with the arrow keys. */
export const GridRow = memo(function GridRow({ columns, row, index, isOpen, onOpen }: Props) {
  return (
    <tr
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      class={isOpen ? "open" : ""}
      onClick={() => onOpen(isOpen ? null : row)}
    >
      {columns.map((column) => (
        <td key={column.key} class={column.info.right ? "right" : ""}>
          <Cell column={column} row={row} />
        </td>
      ))}
    </tr>
  );
});
