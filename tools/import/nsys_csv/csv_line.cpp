// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys_csv/csv_line.hpp"

#include <algorithm>

namespace prof::importers::nsys_csv {

std::string& CsvLine::begin_field() {
  if (count_ == fields_.size()) fields_.emplace_back();
  std::string& field = fields_[count_++];
  field.clear();
  return field;
}

bool CsvLine::split(std::string_view line) {
  count_ = 0;
  if (line.ends_with('\r')) line.remove_suffix(1);
  for (;;) {
    std::string& field = begin_field();
    if (line.starts_with('"')) {
      do {  // up to the next quote; where a second one follows, it is part of the field
        line.remove_prefix(1);
        const std::size_t end = line.find('"');
        if (end == std::string_view::npos) return false;
        field.append(line.substr(0, end));
        line.remove_prefix(end + 1);
        if (line.starts_with('"')) field.push_back('"');
      } while (line.starts_with('"'));
    }
    const std::size_t end = std::min(line.find(','), line.size());
    field.append(line.substr(0, end));
    if (end == line.size()) return true;
    line.remove_prefix(end + 1);
  }
}

}  // namespace prof::importers::nsys_csv
