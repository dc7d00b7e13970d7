// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CellToSql: how a cell becomes an SQL value, for the row tables and for conditions. `Target` takes
// it by null(), integer(), real(), text(), or json() for lists and objects. Numbers of 2^63 and
// above become the negative number with the same bits.
#pragma once

#include "tools/report/table/value_text.hpp"

namespace prof::reports {

template <typename Target>
struct CellToSql {
  Target& to;
  const Cell& cell;

  void operator()(Absent) const { to.null(); }
  void operator()(bool value) const { to.integer(value ? 1 : 0); }
  void operator()(std::int64_t value) const { to.integer(value); }
  void operator()(std::uint64_t value) const { to.integer(static_cast<std::int64_t>(value)); }
  void operator()(Decimal value) const {
    double unit = 1;
    for (int i = 0; i < value.decimals; ++i) unit *= 10;
    to.real(static_cast<double>(value.scaled) / unit);
  }
  void operator()(double value) const { to.real(value); }
  void operator()(AtLeast sum) const { to.real(sum.value); }
  void operator()(Estimate of) const { to.real(of.value); }
  void operator()(std::string_view value) const { to.text(value); }
  template <typename List>
  void operator()(const List&) const {
    std::string json;
    append_json(cell, json);
    to.json(json);
  }
};

template <typename Target>
void to_sql(const Cell& cell, Target& to) {
  std::visit(CellToSql<Target>{to, cell}, cell);
}

}  // namespace prof::reports
