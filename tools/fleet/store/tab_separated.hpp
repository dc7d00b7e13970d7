// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Answers of an engine, in its format TabSeparatedWithNamesAndTypes, row by row.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/fleet/store/engine.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::fleet {

struct TabCell {
  std::string text;
  bool is_null = false;
};

struct AnswerColumn {
  std::string name;
  reports::Column::Type type;
};

/// Takes pieces of an answer apart.
class TabSeparated {
 public:
  /// Valid during the call. False: no more is wanted.
  using TakeRow = std::function<bool(std::span<const TabCell> cells)>;

  explicit TabSeparated(TakeRow take) : take_(std::move(take)) {}

  bool add(std::string_view bytes);
  /// Complete before the first row is taken.
  [[nodiscard]] const std::vector<AnswerColumn>& columns() const { return columns_; }
  /// After the last piece: none was cut off.
  [[nodiscard]] bool is_whole() const { return line_.empty() && lines_ >= 2; }

 private:
  bool end_line();

  TakeRow take_;
  std::string line_;
  std::size_t lines_ = 0;
  std::vector<AnswerColumn> columns_;
  std::vector<TabCell> cells_;
};

/// A SELECT, without its FORMAT.
Status read_rows(Engine& engine, const std::string& select, const TabSeparated::TakeRow& take);

}  // namespace prof::fleet
