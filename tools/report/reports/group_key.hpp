// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a group of rows: cells as bytes that are equal if and only if the cells are.
#pragma once

#include <span>
#include <string>

#include "tools/report/cell.hpp"

namespace prof::reports {

/// Appends a cell; different lists of cells never give equal keys.
void append_key(const Cell& cell, std::string& key);

/// Orders lists of keys: absent before present, then by value.
bool keys_less(std::span<const Cell> a, std::span<const Cell> b);

}  // namespace prof::reports
