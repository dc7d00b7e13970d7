// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of a group of rows: cells as bytes that are equal if and only if the cells are, and that
// have their order.
#pragma once

#include <string>

#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// Appends a cell; different lists of cells never give equal keys. As bytes, keys are in the order
/// of their cells: absent before present, then by value, lists and objects as their JSON texts.
void append_key(const Cell& cell, std::string& key);

}  // namespace prof::reports
