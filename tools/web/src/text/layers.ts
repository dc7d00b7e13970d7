// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers as reports write them: paths whose parts ':' or '.' separates
// (tools/report/filter/layer_view.hpp), and "h.*" for the repeated layers "h.0" to "h.11".

/** Whether a path is `layer`, or inside it. */
export function isInLayer(layer: string): (path: string) => boolean {
  const parts = layer.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join("(?:\\d+|\\*)")}(?:[:.]|$)`, "s");
  return (path) => pattern.test(path);
}
