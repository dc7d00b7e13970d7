// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a stream is a terminal, and how wide it is.
#pragma once

#include <cstddef>
#include <optional>

namespace prof::tools {

/// Columns of the terminal behind a descriptor; absent where it is none (a pipe, a file). The
/// variable COLUMNS overrides what the terminal says; 80 where neither tells.
std::optional<std::size_t> terminal_width(int descriptor);

/// Both descriptors lead to the same open file, pipe or terminal.
bool same_destination(int first, int second);

}  // namespace prof::tools
