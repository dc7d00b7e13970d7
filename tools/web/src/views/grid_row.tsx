// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import { memo } from "preact/compat";
import { shownText, type GridColumn } from "../grid/grid";
import { Name } from "./name";

interface Props {
  readonly columns: readonly GridColumn[];
  readonly row: number;
  readonly index: number;
  readonly isOpen: boolean;
  readonly onOpen: (row: number | null) => void;
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
          <Name text={shownText(column, row)} most={60} />
        </td>
      ))}
    </tr>
  );
});
