// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of text cases: cells are two spaces apart, a comment ends a line. A number may be written
// as what it is computed from: "2*8*4*3 + 8*3".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::text_cases {

struct Cells {
  std::vector<std::string> cells;
  std::string comment;  ///< With its "#"; empty: none.
};

Cells split_cells(std::string_view line);
std::vector<std::string> aligned(const std::vector<Cells>& table);

/// Of numbers, + - * / and parentheses; nullopt: something else.
std::optional<double> number_of(std::string_view text);

/// The cell is what is expected of it, as text or as a number.
bool holds(std::string_view expected, std::string_view actual);

}  // namespace prof::text_cases
