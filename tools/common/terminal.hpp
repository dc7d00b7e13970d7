// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a stream is a terminal, and its size.
#pragma once

#include <cstddef>
#include <optional>

namespace prof::tools {

/// Columns of the terminal behind a descriptor; absent if it is not a terminal (a pipe, a file).
/// The variable COLUMNS overrides the terminal; 80 if neither is known.
std::optional<std::size_t> terminal_width(int descriptor);

/// Rows of the terminal behind a descriptor; absent if it is no terminal or they are not known.
std::optional<std::size_t> terminal_height(int descriptor);

/// Whether a descriptor refers to a file on a disk, which nobody watches as it grows.
bool is_regular_file(int descriptor);

/// Whether both descriptors refer to the same file, pipe or terminal.
bool same_destination(int first, int second);

}  // namespace prof::tools
