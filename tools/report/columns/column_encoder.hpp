// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ColumnEncoder: the cells of one column as compressed chunks (docs/formats/columns.md). Keeps the
// values of one chunk, the column's distinct texts, and the chunks as they are printed.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/report/columns/chunk_encoding.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

class ColumnEncoder {
 public:
  static constexpr std::size_t kChunkRows = std::size_t{1} << 16;

  explicit ColumnEncoder(Column::Type declared);

  void add(const Cell& cell);
  /// After the last cell.
  void finish();

  /// The type of the values: "integer", "real", ...; the declared type if there are none.
  [[nodiscard]] std::string_view type_word() const;
  /// The objects of the chunks, separated by commas.
  [[nodiscard]] const std::string& chunks() const { return chunks_; }
  /// The stream of the distinct texts; empty: there are none.
  [[nodiscard]] std::string texts() const;

 private:
  using Kind = ColumnValue::Kind;
  struct MakeValue;

  void end_chunk();
  /// The kind of all values of the chunk, which become reals or JSON values if they differ.
  Kind unite();
  [[nodiscard]] bool can_be_reals() const;
  void make_reals();
  void make_json();
  void note_type(Kind kind);
  std::uint32_t id_of(std::string_view text);

  Column::Type declared_;
  Kind type_ = Kind::kNull;  // of all chunks so far; kJson: they differ
  std::vector<ColumnValue> values_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> ids_;  // of texts_
  std::string chunks_;
  std::string scratch_;
};

}  // namespace prof::reports
