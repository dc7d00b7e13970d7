// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The little language in which a system test says what its program does:
//   push a; launch gemm 3; pop; thread { launch other; } exit 4
// Words are separated by blanks, statements end with ';' or a block. Double quotes keep blanks in a
// word. Not for anything but tests.
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
