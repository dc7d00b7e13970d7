# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/adversary.md."""

HEAD = (
    "scenario",
    "what was done",
    "status without",
    "with",
    "launched",
    "in the file",
    "lost and counted",
    "promises",
)


def cell(value):
    text = "-" if value is None else str(value).replace("|", "\\|").replace("\n", " ")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def verdict(row):
    if row.skipped:
        return f"skipped: {row.skipped}"
    if row.problems:
        return "**broken**: " + "; ".join(row.problems)
    return "; ".join(["kept", *row.notes])


def line(row):
    return (
        "| "
        + " | ".join(
            cell(value)
            for value in (
                row.name,
                row.did,
                row.without,
                row.with_,
                row.launched,
                row.in_file,
                row.lost,
                verdict(row),
            )
        )
        + " |"
    )


def table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---|---|---|---|---|---|"]
    return "\n".join(lines + [line(row) for row in rows]) + "\n"


def put_into(path, kind, text):
    """Replaces the kind's table in a page, between its two marks."""
    first, last = f"<!-- {kind} table -->\n", f"<!-- end of {kind} table -->"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, end = page.index(first) + len(first), page.index(last)
    with open(path, "w", encoding="utf-8") as file:
        file.write(page[:begin] + text + page[end:])
