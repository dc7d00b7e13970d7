// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Documents of compiled graphs, made from one line of text. Each function returns false if a
// guarantee of their readers is broken.
#pragma once

#include <string>

namespace prof::fuzz {

/// Generated code; '|' stands for the ends of lines. All that is read of it is part of it, each
/// call is described, and numbers are numbers.
bool read_code(const std::string& text);

/// The comment above a kernel, likewise.
bool read_fragments(const std::string& text);

/// Sizes of a tensor: if a shape tells their symbols, they have that shape.
bool read_symbolic_sizes(const std::string& text);

/// Dynamo's table of nodes and, after '|', that of a compiled graph; describe fixed code.
bool read_node_tables(const std::string& text);

/// A printed graph: each of its nodes is of a source node that there is, or of none.
bool read_graph_lines(const std::string& text);

/// A program that runs the calls of the code, some of which are left out: each launch has a row.
bool run_code(const std::string& text);

}  // namespace prof::fuzz
