// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests: a cursor over in-memory rows, and helpers that read a cursor to its end.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "libprof/store/read/row_cursor.hpp"

namespace prof {

template <typename Row>
class VectorCursor final : public RowCursor<const Row> {
 public:
  explicit VectorCursor(std::vector<Row> rows) : rows_(std::move(rows)) {}

  const Row* next() override { return at_ < rows_.size() ? &(row_ = rows_[at_++]) : nullptr; }
  [[nodiscard]] Status status() const override { return {}; }

 private:
  std::vector<Row> rows_;
  std::size_t at_ = 0;
  Row row_;  // a copy: the previous one dies at the next call, as in a real cursor
};

template <typename Row>
std::unique_ptr<RowCursor<const Row>> cursor_over(std::vector<Row> rows) {
  return std::make_unique<VectorCursor<Row>>(std::move(rows));
}

/// All that are left. An error is a failure of the test.
template <typename Row>
std::uint64_t count_rows(const std::unique_ptr<RowCursor<const Row>>& cursor) {
  std::uint64_t count = 0;
  while (cursor->next() != nullptr) ++count;
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().error().to_line();
  return count;
}

/// The same as a list.
template <typename Row>
std::vector<Row> rows_of(const std::unique_ptr<RowCursor<const Row>>& cursor) {
  std::vector<Row> rows;
  while (const Row* const row = cursor->next()) rows.push_back(*row);
  EXPECT_TRUE(cursor->status().ok()) << cursor->status().error().to_line();
  return rows;
}

}  // namespace prof
