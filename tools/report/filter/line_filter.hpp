// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LineFilter: which of a report's lines are printed, and in which order. A sink between the report
// and its renderer. Without an order lines pass through; with one they are sorted in bounded
// memory, and a few wanted lines are all that is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/filter/line_order.hpp"
#include "tools/report/filter/where.hpp"
#include "tools/report/table/owned_cells.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// The command line's options about a report's lines.
struct LineOptions {
  std::vector<std::string> where;
  std::optional<std::size_t> sort;  ///< Index into all columns of the report.
  bool ascending = false;
  std::optional<std::uint64_t> top;

  [[nodiscard]] bool all() const { return where.empty() && !sort && !top; }
};

class LineFilter : public RowSink {
 public:
  /// The report is asked for columns(): `shown`, then those that only the options needs.
  static Result<std::unique_ptr<LineFilter>> make(const LineOptions& options,
                                                  std::span<const Column> columns,
                                                  std::span<const std::size_t> shown, RowSink& to);

  /// Limits are kept in memory up to this one.
  static constexpr std::uint64_t kFew = 10'000;

  [[nodiscard]] std::span<const std::size_t> columns() const { return needed_; }

  bool row(std::span<const Cell> cells) override;
  void total(std::span<const Cell> cells) override;
  /// After the last row: prints what was kept for its order. Then totals, which were kept, too.
  Status finish();

  [[nodiscard]] std::uint64_t made() const { return made_; }
  [[nodiscard]] std::uint64_t printed() const { return printed_; }

 private:
  struct Kept {
    std::uint64_t number;  // Among equal lines, the earlier one comes first.
    OwnedCells line;
  };

  LineFilter(const LineOptions& options, RowSink& to) : options_(options), to_(to) {}
  [[nodiscard]] bool comes_before(const Kept& a, const Kept& b) const;
  [[nodiscard]] bool wants_few() const { return options_.top && *options_.top <= kFew; }
  bool keep(std::span<const Cell> cells);
  bool print(std::span<const Cell> cells);
  Status print_sorted();

  const LineOptions& options_;
  RowSink& to_;
  std::vector<std::size_t> needed_;
  std::size_t shown_ = 0;                 // the first of needed_
  std::vector<std::size_t> where_cells_;  // indices into needed_
  std::size_t sort_cell_ = 0;             // likewise
  std::unique_ptr<Where> where_;
  std::vector<Cell> asked_;
  std::vector<Kept> kept_;           // if few are wanted: a heap whose first comes last
  std::optional<LineOrder> sorted_;  // otherwise
  Status status_;
  std::vector<OwnedCells> totals_;
  std::uint64_t made_ = 0, printed_ = 0;
};

}  // namespace prof::reports
