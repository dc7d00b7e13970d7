// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is added up over a group of kernels, and the columns that print it.
#pragma once

#include <cstdint>
#include <span>

#include "analyzers/devices/roofline.hpp"
#include "tools/report/cell.hpp"
#include "tools/report/selection.hpp"

namespace prof::reports {

/// A sum over kernels of a number that may be unknown, with the time of those where it is known.
struct KnownSum {
  double sum = 0;
  std::int64_t time_ns = 0;
  std::uint64_t known = 0;
  std::uint64_t unknown = 0;

  void add(const std::optional<double>& value, std::int64_t duration_ns);
};

struct Sums {
  std::uint64_t kernels = 0;
  std::uint64_t calls = 0;
  std::int64_t time_ns = 0;
  KnownSum flops, bytes, read, written;
  /// Of collectives: what their bandwidths divide by time.
  KnownSum algorithm_bytes, bus_bytes;
  /// Of those kernels whose FLOPs and bytes are both known.
  double flops_of_both = 0, bytes_of_both = 0;
  /// Nanoseconds that arithmetic alone, and the roofline model, would need.
  KnownSum compute_ns, model_ns;

  void add(const Work& work, const devices::RooflineTimes& roofline);
};

struct SumField {
  Column column;
  /// `all` are the sums over every group.
  Cell (*value)(const Sums& sums, const Sums& all);
};

std::span<const SumField> sum_fields();

}  // namespace prof::reports
