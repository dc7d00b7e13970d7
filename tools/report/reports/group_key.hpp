// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a group of rows: cells as bytes that are equal if and only if the cells are. Cells of
// groups own nothing: their texts lie in the bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/report/cell.hpp"

namespace prof::reports {

/// Appends a cell; different lists of cells never give equal keys.
void append_key(const Cell& cell, std::string& key);

/// Reads the cell at `offset` in `key`, which holds its text, if any; moves the offset past it.
Cell cell_in_key(const Cell& cell, std::string_view key, std::size_t& offset);

/// Orders lists of keys: absent before present, then by value.
bool keys_less(const std::vector<Cell>& a, const std::vector<Cell>& b);

}  // namespace prof::reports
