// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over attributed rows, by layer or by op, each by direction. Plain numbers in the order of
// first appearance, which is launch order: sorting, formatting and units are the reports' business.
// Memory grows with the number of distinct groups, not of rows. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/attribution.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

/// What a group of rows adds up to.
struct Totals {
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< Memory copies and sets.
  std::uint64_t ops = 0;     ///< Op instances that began in this group.
  std::int64_t kernel_ns = 0;
  std::int64_t copy_ns = 0;
  std::int64_t tensor_core_ns = 0;  ///< Of kernels that use tensor cores.
  /// Sums of what is known; absent if nothing is.
  std::optional<double> flops;
  std::optional<double> bytes;
  /// Rows whose FLOPs or bytes are not known: the sums are lower limits if these are not 0.
  std::uint64_t without_flops = 0;
  std::uint64_t without_bytes = 0;
  bool estimated = false;  ///< A cost that is in the sums is estimated.

  void add(const GpuRow& row, const Attribution& attribution);
};

struct SummaryRow {
  std::string layer;  ///< Empty: none. Summary by op: always empty.
  std::string op;     ///< Empty: none. Summary by layer: always empty.
  Direction direction = Direction::kNone;
  bool known_op = true;  ///< Summary by op: an op model knows it.
  Totals totals;
};

class Summary {
 public:
  enum class By : std::uint8_t { kLayer, kOp };

  explicit Summary(By by) : by_(by) {}

  void add(const GpuRow& row, const Attribution& attribution);

  [[nodiscard]] const std::deque<SummaryRow>& rows() const { return rows_; }
  /// Of all rows.
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  SummaryRow& group(const std::shared_ptr<const OpAttribution>& op);

  const By by_;
  std::deque<SummaryRow> rows_;  // addresses stay
  std::unordered_map<std::string, SummaryRow*> by_name_;
  /// Attributions seen, so that most rows need no text; keeps them alive, so that no address
  /// repeats.
  std::unordered_map<const OpAttribution*,
                     std::pair<std::shared_ptr<const OpAttribution>, SummaryRow*>>
      by_attribution_;
  const OpAttribution* last_ = nullptr;
  SummaryRow* last_group_ = nullptr;
  Totals totals_;
};

}  // namespace prof
