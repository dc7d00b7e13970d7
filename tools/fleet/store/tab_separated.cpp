// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/tab_separated.hpp"

#include <algorithm>

namespace prof::fleet {
namespace {

char unescaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '0':
      return '\0';
    default:
      return letter;
  }
}

/// "\N" alone is NULL.
void unescape(std::string_view field, TabCell& cell) {
  cell.text.clear();
  cell.is_null = field == "\\N";
  if (cell.is_null) return;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool is_escape = field[i] == '\\' && i + 1 < field.size();
    cell.text += is_escape ? unescaped(field[++i]) : field[i];
  }
}

reports::Column::Type type_of(std::string_view type) {
  for (const std::string_view around : {"LowCardinality(", "Nullable("}) {
    if (type.starts_with(around))
      type = type.substr(around.size(), type.size() - around.size() - 1);
  }
  if (type.starts_with("Int") || type.starts_with("UInt")) return reports::Column::Type::kInteger;
  if (type.starts_with("Float")) return reports::Column::Type::kReal;
  return reports::Column::Type::kText;
}

}  // namespace

bool TabSeparated::end_line() {
  std::size_t count = 0;
  for (std::string_view rest = line_;; ++count) {
    const std::size_t end = std::min(rest.find('\t'), rest.size());
    if (count == cells_.size()) cells_.emplace_back();
    unescape(rest.substr(0, end), cells_[count]);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  cells_.resize(count + 1);
  line_.clear();
  switch (lines_++) {
    case 0:
      for (const TabCell& cell : cells_) columns_.push_back({cell.text, {}});
      return true;
    case 1:
      for (std::size_t i = 0; i < std::min(cells_.size(), columns_.size()); ++i) {
        columns_[i].type = type_of(cells_[i].text);
      }
      return true;
    default:
      return take_(cells_);
  }
}

bool TabSeparated::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    line_ += bytes.substr(0, end);
    if (end == bytes.size()) return true;
    bytes.remove_prefix(end + 1);
    if (!end_line()) return false;
  }
  return true;
}

Status read_rows(Engine& engine, const std::string& select, const TabSeparated::TakeRow& take) {
  TabSeparated rows(take);
  bool stopped = false;
  PROF_TRY(
      engine.query(select + " FORMAT TabSeparatedWithNamesAndTypes", [&](std::string_view bytes) {
        stopped = !rows.add(bytes);
        return !stopped;
      }));
  if (stopped || rows.is_whole()) return {};
  return Error{"its answer is cut off", engine.name(), "ask again"};
}

}  // namespace prof::fleet
