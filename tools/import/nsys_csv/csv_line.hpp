// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CsvLine: the fields of one line of CSV (RFC 4180). A field with commas or quotes is in quotes,
// and each quote in it is doubled. One object is used for line after line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace prof::importers::nsys_csv {

class CsvLine {
 public:
  /// False: a quote that begins a field does not end it. A carriage return at the end is no
  /// content.
  bool split(std::string_view line);
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Valid until the next split().
  [[nodiscard]] std::string_view operator[](std::size_t field) const { return fields_[field]; }

 private:
  std::string& begin_field();

  std::vector<std::string> fields_;  // kept from line to line
  std::size_t count_ = 0;
};

}  // namespace prof::importers::nsys_csv
