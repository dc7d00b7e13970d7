// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over a group of kernels. The columns that print them are in work_sums.cpp, one line each.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/model/quantities.hpp"
#include "libprof/base/ordered_bits.hpp"
#include "tools/report/rows/op_calls.hpp"
#include "tools/report/rows/sums.hpp"

namespace prof::reports {

class WorkRow;

/// A sum over kernels of a quantity that may be unknown, with the time of the kernels where it is
/// known.
struct KnownSum {
  double sum = 0;
  std::int64_t time_ns = 0;
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;

  void add(const std::optional<double>& value, std::int64_t duration_ns);
  void merge(const KnownSum& other);
};

class WorkSums final : public Sums {
 public:
  std::uint64_t kernels = 0;
  std::uint64_t copies = 0;  ///< Memory copies and sets, if they are asked for.
  OpCalls calls;
  std::int64_t time_ns = 0;
  PerQuantity<KnownSum> cost;
  /// Sums over the kernels whose FLOPs and bytes are both known.
  double flops_of_both = 0, bytes_of_both = 0;
  /// Nanoseconds needed by arithmetic alone and by the roofline model.
  KnownSum compute_ns, model_ns;

  void add(Row& row) override;
  void merge(const Sums& others) override;
  [[nodiscard]] Weight weight() const override { return {ordered_bits(time_ns), 0}; }
  [[nodiscard]] std::unique_ptr<Sums> copy() const override;
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this; }
  void append(std::string& to) const override;
  void take(std::string_view& bytes) override;

 private:
  void add(const Quantities& cost_of_work, std::int64_t duration_ns);
};

/// Sums of GPU work.
// NOLINTNEXTLINE(readability-identifier-naming): a constant, though it is defined elsewhere
extern const SumKind kWorkSums;

}  // namespace prof::reports
