// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Notes below a table: plain lines, and their text in a form for people.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/output.hpp"
#include "tools/common/styles.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

struct Notes {
  std::vector<std::string> facts;
  std::vector<std::string> warnings;  ///< Without the word "warning".
};

/// Lines that `to` lacks are appended.
void add_notes(const Notes& notes, Notes& to);

/// A line each below a text table, wrapped if it is wider than `width`; a paragraph each below a
/// Markdown table.
void write_notes(const Notes& notes, Form form, const tools::Styles& styles,
                 std::optional<std::size_t> width, tools::Output& output);

}  // namespace prof::reports
