// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the calls of two ranks on one communicator that are the same, where no library numbered
// them. Traces are windows of a run, so the n-th call of a file is not the n-th of another. The
// known facts of each call decide: what it is, its step, and on one host when it ran: all ranks of
// a collective are in it at the same time. An estimate. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace prof::ranks {

struct AlignedCall {
  std::uint64_t what = 0;  ///< Equal for calls that may be the same.
  std::optional<std::int64_t> step;
  std::int64_t start_ns = 0, end_ns = 0;  ///< On the clock of the host.
  /// No rank ends before all have come. In any other call a rank may be done before another begins.
  bool is_together = false;
};

/// How far ahead `calls` are of `of`: calls[i] is of[i + shift]. Nullopt: they do not fit.
/// `has_one_clock`: times of both can be compared.
std::optional<std::int64_t> shift_between(std::span<const AlignedCall> of,
                                          std::span<const AlignedCall> calls, bool has_one_clock);

}  // namespace prof::ranks
