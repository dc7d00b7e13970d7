// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The row kinds by name, and the list of them all (row_kinds.inc).
#pragma once

#include <span>

namespace prof::reports {

struct RowKind;

#define ROW_KIND(kind) extern const RowKind kind;
#include "tools/report/rows/row_kinds.inc"
#undef ROW_KIND

/// Each of them is a table for SQL (query/row_tables.hpp).
std::span<const RowKind* const> row_kinds();

}  // namespace prof::reports
