// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
import type { GridColumn } from "../grid/grid";

interface Props {
  readonly columns: readonly GridColumn[];
  readonly sort: string | undefined;
  readonly filters: Readonly<Record<string, string>>;
  readonly onSort: (sort: string | undefined) => void;
  readonly onFilter: (key: string, text: string) => void;
}

/** Headings that sort, and a line of conditions. */
export function GridHead({ columns, sort, filters, onSort, onFilter }: Props) {
  return (
    <thead>
      <tr>
        {columns.map(({ key, heading, info }) => (
          <th
            key={key}
            scope="col"
            class={info.right ? "right" : ""}
            aria-sort={ariaSort(key, sort)}
          >
            <button
              type="button"
              title={info.help}
              onClick={() => onSort(nextSort(key, info.right, sort))}
            >
              {heading}
              {sort === key ? " ▲" : sort === `-${key}` ? " ▼" : ""}
            </button>
          </th>
        ))}
      </tr>
      <tr class="filters">
        {columns.map(({ key, heading, info }) => (
          <td key={key}>
            <input
              type="text"
              value={filters[key] ?? ""}
              placeholder={info.right ? "> 0" : "contains"}
              title="text, >0.5, 1..10, - (absent) or * (known)"
              aria-label={`Condition on ${heading}`}
              onInput={({ currentTarget }) => onFilter(key, currentTarget.value)}
            />
          </td>
        ))}
      </tr>
    </thead>
  );
}

/** Numbers fall first, as who sorts them asks for the largest; the third click frees the order. */
function nextSort(key: string, isNumber: boolean, sort: string | undefined): string | undefined {
  const order = isNumber ? [`-${key}`, key] : [key, `-${key}`];
  const at = order.indexOf(sort ?? "");
  return at < 0 ? order[0] : order[at + 1];
}

function ariaSort(key: string, sort: string | undefined) {
  if (sort === key) return "ascending";
  return sort === `-${key}` ? "descending" : "none";
}

