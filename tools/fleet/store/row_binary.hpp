// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows in ClickHouse's format RowBinary: values one after the other, without separators. Absent is
// a byte 1 before values that may be; texts are their length, seven bits a byte, and their bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/report/table/cell.hpp"

namespace prof::fleet {

class RowBinary {
 public:
  void add_text(std::string_view text);
  void add_texts(std::span<const std::string> texts);  ///< Array(String)
  template <typename Number>
  void add_number(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  template <typename Number>
  void add_nullable(const std::optional<Number>& number) {
    bytes_ += number ? '\0' : '\1';
    if (number) add_number(*number);
  }
  /// As the type of the column that it is stored in: a text, or a number that may be absent.
  void add_cell(const reports::Cell& cell, std::string_view type);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void add_length(std::uint64_t length);

  std::string bytes_;
};

}  // namespace prof::fleet
