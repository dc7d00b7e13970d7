// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Draws a tree of groups, a row for each depth.
import { lengthOf, type Span } from "../axis";
import { inkOn } from "../colors";
import { writeInto } from "../labels";
import type { Frame } from "../surface";
import type { NodeColoring } from "./coloring";
import { visit, type TreeNode } from "./tree";

export const ROW = 21;

/** Narrower nodes are not drawn: their parent shows through. */
const NARROWEST = 0.4;

export interface TreeLook {
  readonly root: TreeNode;
  readonly top: number;
  readonly span: Span;
  readonly coloring: NodeColoring;
  readonly marked: TreeNode | null;
}

export function paintTree(frame: Frame, { root, top, span, coloring, marked }: TreeLook): void {
  const { context, width, theme } = frame;
  const scale = width / lengthOf(span);
  visit(root, span.from, span.to, NARROWEST / scale, (node) => {
    const from = Math.max(0, (node.left - span.from) * scale);
    const to = Math.min(width, (node.left + node.time - span.from) * scale);
    const color = coloring(node, theme);
    const y = top + node.depth * ROW;
    context.fillStyle = color;
    context.fillRect(from, y, Math.max(NARROWEST, to - from - 0.5), ROW - 1);
    context.fillStyle = inkOn(color);
    writeInto(context, node.parent ? node.name : "all", from, y + ROW / 2, to - from);
    if (node !== marked) return;
    context.strokeStyle = theme.accent;
    context.lineWidth = 2;
    context.strokeRect(from + 1, y + 1, Math.max(1, to - from - 2), ROW - 3);
  });
}
