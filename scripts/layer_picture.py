#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Draws where a step's time goes: a bar per kind of layer, split by direction, as an SVG.

usage: prof-report -r layers -f json --step 1 TRACE | layer_picture.py TITLE >PICTURE.svg

Layers that differ only in a number (Embedding_3, h.7:attn) are one kind. Bar length is the kind's
share of the time in kernels, copies and sets; kinds below 1 % are combined.
"""
import json
import re
import sys
from xml.sax.saxutils import escape

COLOURS = {"fprop": "#3b7dd8", "bprop": "#e08a1e", "update": "#4a9e5c", None: "#999999"}
WORDS = {"fprop": "forward", "bprop": "backward", "update": "optimizer", None: "no direction"}
LABEL, BAR, ROW, TOP = 270, 470, 22, 58  # pixels


def kind(layer):
    """The layer with its numbers replaced: Enc_*:Attn."""
    return re.sub(r"\d+", "*", layer or "(no layer)")


def shares(rows):
    """{kind: {direction: share of all time}}, largest first, small ones combined."""
    total = sum(row["time_ns"] for row in rows) or 1
    kinds = {}
    for row in rows:
        by_direction = kinds.setdefault(kind(row["layer"]), {})
        by_direction[row["dir"]] = by_direction.get(row["dir"], 0) + row["time_ns"] / total
    small = [name for name, parts in kinds.items() if sum(parts.values()) < 0.01]
    if len(small) > 1:
        rest = {}
        for name in small:
            for direction, share in kinds.pop(name).items():
                rest[direction] = rest.get(direction, 0) + share
        ordered = sorted(kinds.items(), key=lambda item: (-sum(item[1].values()), item[0]))
        return ordered + [(f"{len(small)} others", rest)]
    return sorted(kinds.items(), key=lambda item: (-sum(item[1].values()), item[0]))


def text(x, y, words, anchor="start", size=12, weight="normal"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">{escape(words)}</text>'


def draw(title, rows):
    kinds = shares(rows)
    longest = max((sum(parts.values()) for _, parts in kinds), default=1) or 1
    directions = [d for d in COLOURS if any(d in parts for _, parts in kinds)]
    totals = {d: sum(parts.get(d, 0) for _, parts in kinds) for d in directions}
    height = TOP + ROW * len(kinds) + 14
    width = LABEL + BAR + 70
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        text(12, 22, title, size=14, weight="bold"),
    ]
    x = LABEL
    for d in directions:
        out.append(f'<rect x="{x}" y="34" width="12" height="12" fill="{COLOURS[d]}"/>')
        label = f"{WORDS[d]} {100 * totals[d]:.1f} %"
        out.append(text(x + 17, 45, label))
        x += 30 + 7 * len(label)
    for row, (name, parts) in enumerate(kinds):
        y = TOP + ROW * row
        out.append(text(LABEL - 8, y + 14, name, anchor="end"))
        x = LABEL
        for d in directions:
            length = BAR * parts.get(d, 0) / longest
            if length > 0:
                out.append(
                    f'<rect x="{x:.1f}" y="{y + 2}" width="{length:.1f}" height="{ROW - 6}" fill="{COLOURS[d]}"/>'
                )
            x += length
        out.append(text(x + 6, y + 14, f"{100 * sum(parts.values()):.1f} %"))
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.stdout.write(draw(sys.argv[1], json.load(sys.stdin)))


if __name__ == "__main__":
    main()
