// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {

std::span<const RowKind* const> row_kinds() {
  static constexpr const RowKind* kAll[] = {
#define ROW_KIND(kind) &(kind),
#include "tools/report/rows/row_kinds.inc"
#undef ROW_KIND
  };
  return kAll;
}

}  // namespace prof::reports
