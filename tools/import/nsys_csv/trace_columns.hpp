// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceColumns: the places of the columns of nsys's report cuda_gpu_trace. Versions differ in the
// columns that they have and in units, which the heading states: "StcSMem (MB)", "Start:ts_ns".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tools/import/nsys_csv/csv_line.hpp"

namespace prof::importers::nsys_csv {

enum class Column : std::uint8_t {
  kStart,
  kDuration,
  kCorrelation,
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kRegisters,
  kStaticShared,
  kDynamicShared,
  kBytes,
  kSource,
  kDestination,
  kDevice,
  kContext,
  kStream,
  kName,
};
inline constexpr std::size_t kColumns = 19;

class TraceColumns {
 public:
  /// The columns of a table whose heading is this line: it has times and names, and units that are
  /// known.
  static std::optional<TraceColumns> of(const CsvLine& heading);

  /// The number of fields of a line.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The text of a field, without blanks around it; empty where the table lacks the column.
  [[nodiscard]] std::string_view text(const CsvLine& line, Column column) const;
  /// The whole number of a field; nullopt: it is empty, or no such number.
  [[nodiscard]] std::optional<std::uint64_t> whole(const CsvLine& line, Column column) const;
  /// A field in nanoseconds or bytes; nullopt: it is empty, or no number.
  [[nodiscard]] std::optional<std::int64_t> scaled(const CsvLine& line, Column column) const;
  /// A size that is stated in a larger unit than bytes, to three digits as nsys does.
  [[nodiscard]] bool is_rounded(const CsvLine& line, Column column) const;

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX;

  struct Place {
    std::size_t field = kNowhere;
    double scale = 1;  // of its unit
  };
  [[nodiscard]] const Place& place(Column column) const {
    return places_[static_cast<std::size_t>(column)];
  }

  std::array<Place, kColumns> places_;
  std::size_t size_ = 0;
};

}  // namespace prof::importers::nsys_csv
