// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The small language in which a system test describes its program:
//   push a; launch gemm 3; pop; thread { launch other; } exit 4
// Words are separated by spaces, statements end with ';' or a block. Double quotes keep spaces in a
// word. For tests only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

struct Statement {
  std::vector<std::string> words;  ///< The command and what follows it; never empty.
  std::vector<Statement> block;
};

/// Ends the process with status 64 and a line if the text is not a script.
std::vector<Statement> parse_script(std::string_view text);
