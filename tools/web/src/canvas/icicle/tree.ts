// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of work as a tree of names, each node as wide as the groups below it take time. Widths are
// in nanoseconds, so two trees can be drawn to one scale.

export interface TreeNode {
  readonly name: string;
  readonly depth: number;
  readonly parent: TreeNode | null;
  readonly children: TreeNode[];
  /** Groups that end here. */
  readonly rows: number[];
  time: number;
  /** Where it begins on the axis. */
  left: number;
}

/** Calls `add` with the names from the top, the group and its time, for each group. */
export type Groups = (add: (path: readonly string[], row: number, time: number) => void) => void;
export type Order = (a: TreeNode, b: TreeNode) => number;

export const longestFirst: Order = (a, b) => b.time - a.time;

/** Orders the topmost names as in `names` (others last), and all below by time. */
export const topInOrder = (names: readonly string[]): Order => {
  const rank = (node: TreeNode) => {
    const at = node.depth === 1 ? names.indexOf(node.name) : 0;
    return at < 0 ? names.length : at;
  };
  return (a, b) => rank(a) - rank(b) || b.time - a.time;
};

export function makeTree(groups: Groups, order: Order): TreeNode {
  const root = makeNode("", null);
  const known = new Map<TreeNode, Map<string, TreeNode>>();
  groups((path, row, time) => {
    let node = root;
    node.time += time;
    for (const name of path) {
      node = childOf(node, name, known);
      node.time += time;
    }
    node.rows.push(row);
  });
  place(root, 0, order);
  return root;
}

function makeNode(name: string, parent: TreeNode | null): TreeNode {
  const depth = parent ? parent.depth + 1 : 0;
  return { name, depth, parent, children: [], rows: [], time: 0, left: 0 };
}

function childOf(
  node: TreeNode,
  name: string,
  known: Map<TreeNode, Map<string, TreeNode>>,
): TreeNode {
  let children = known.get(node);
  if (!children) known.set(node, (children = new Map<string, TreeNode>()));
  let child = children.get(name);
  if (!child) {
    child = makeNode(name, node);
    children.set(name, child);
    node.children.push(child);
  }
  return child;
}

function place(node: TreeNode, left: number, order: Order): void {
  node.left = left;
  node.children.sort(order);
  for (const child of node.children) {
    place(child, left, order);
    left += child.time;
  }
}

export const pathOf = (node: TreeNode): string[] =>
  node.parent ? [...pathOf(node.parent), node.name] : [];

/** The node at `path`, or the last one on the way there. */
export function nodeAt(root: TreeNode, path: readonly string[]): TreeNode {
  let node = root;
  for (const name of path) {
    const child = node.children.find((candidate) => candidate.name === name);
    if (!child) break;
    node = child;
  }
  return node;
}

export const isOnPath = (node: TreeNode, path: readonly string[]): boolean =>
  node.depth <= path.length && pathOf(node).every((name, i) => name === path[i]);

/** All groups at or below the node. */
export function* rowsBelow(node: TreeNode): Generator<number> {
  yield* node.rows;
  for (const child of node.children) yield* rowsBelow(child);
}

export const levelsOf = (node: TreeNode): number =>
  1 + node.children.reduce((most, child) => Math.max(most, levelsOf(child)), 0);

/** Nodes that overlap [from, to) and are at least `least` wide, parents before children. */
export function visit(
  node: TreeNode,
  from: number,
  to: number,
  least: number,
  see: (node: TreeNode) => void,
): void {
  if (node.time < least || node.left + node.time <= from || node.left >= to) return;
  see(node);
  for (const child of node.children) visit(child, from, to, least, see);
}

/** The node of a depth at a place on the axis. */
export function hit(root: TreeNode, depth: number, at: number): TreeNode | null {
  let node: TreeNode | undefined = root;
  while (node && node.depth < depth) {
    node = node.children.find((child) => at >= child.left && at < child.left + child.time);
  }
  return node && at >= node.left && at < node.left + node.time ? node : null;
}

/** What an arrow key leads to: the parent, the longest child, or a neighbor of the same depth. */
export function neighbor(node: TreeNode, way: "up" | "down" | "left" | "right"): TreeNode | null {
  if (way === "up") return node.parent;
  if (way === "down") {
    return node.children.reduce<TreeNode | null>(
      (best, child) => (best && best.time >= child.time ? best : child),
      null,
    );
  }
  const step = way === "left" ? -1 : 1;
  for (let above = node; above.parent; above = above.parent) {
    const siblings = above.parent.children;
    let next: TreeNode | undefined = siblings[siblings.indexOf(above) + step];
    if (!next) continue;
    while (next.depth < node.depth && next.children.length > 0) {
      next = (way === "left" ? next.children.at(-1) : next.children[0])!;
    }
    return next;
  }
  return null;
}
