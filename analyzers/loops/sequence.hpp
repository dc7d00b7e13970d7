// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequence: what a program launched, in order, each launch as a symbol. Equal symbols are equal
// work: kernels by name, grid and block, copies and sets by kind and the digits of their size, a
// graph's launch by the names of its nodes. Short runs of symbols are numbered, too, so that the
// order of launches can be compared like their counts. About 30 bytes for each launch, which it
// does not own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libprof/model/records.hpp"

namespace prof::loops {

struct Launch {
  std::int64_t time_ns = 0;  ///< Of the call, on the host.
  RangeId stack = 0;         ///< Innermost range at the call.
  std::uint32_t symbol = 0;
  std::uint32_t name = 0;  ///< A coarser symbol: kernels by name alone.
  std::uint32_t work = 1;  ///< What it starts: 1, or the nodes of a graph.
  std::uint32_t thread = 0;
  bool has_kernel = false;
  bool updates = false;     ///< It updates weights.
  bool reads_back = false;  ///< It copies to the host.
  bool sends = false;       ///< It copies from the host.
  bool is_awaited = false;  ///< The host waits before it launches anything else.
  bool tunes = false;       ///< It tries out kernels, as XLA's autotuner does.
};

/// Launches from `begin` to before `end`, by their index in a sequence.
struct Turn {
  std::uint32_t begin = 0, end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

class Sequence {
 public:
  /// Of launches in order of time, whose symbols are below `symbols`. `symbol`: which of the two.
  /// `launches` must outlive it.
  Sequence(std::span<const Launch> launches, std::uint32_t symbols,
           std::uint32_t Launch::*symbol = &Launch::symbol);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(launches_.size()); }
  [[nodiscard]] const Launch& operator[](std::size_t i) const { return launches_[i]; }
  [[nodiscard]] std::span<const Launch> launches(const Turn& turn) const {
    return launches_.subspan(turn.begin, turn.size());
  }
  [[nodiscard]] std::uint32_t symbol(std::size_t i) const { return grams_[0][i]; }
  [[nodiscard]] std::uint32_t symbols() const { return symbols_; }
  [[nodiscard]] bool is_by_name() const { return is_by_name_; }

  /// The numbers, below gram_numbers(), of the `n` symbols from each launch on. Different ones may,
  /// rarely, have one number. For `n` of 1 they are the symbols.
  [[nodiscard]] std::span<const std::uint32_t> grams(std::uint32_t n) const;
  [[nodiscard]] std::uint32_t gram_numbers() const { return gram_numbers_; }
  /// So many symbols in a row that, in random order, one in twenty comes again within a period.
  [[nodiscard]] std::uint32_t gram_length(std::uint32_t period) const;

  /// The work of all launches before that one.
  [[nodiscard]] std::uint64_t work_before(std::size_t i) const { return work_before_[i]; }
  [[nodiscard]] std::uint64_t work(const Turn& turn) const {
    return work_before_[turn.end] - work_before_[turn.begin];
  }
  [[nodiscard]] std::uint64_t work() const { return work_before_.back(); }

 private:
  static constexpr std::uint32_t kMaxGram = 8;

  std::span<const Launch> launches_;
  std::uint32_t symbols_;
  bool is_by_name_;
  std::uint32_t gram_numbers_;
  double bits_ = 0;  // entropy of a symbol
  std::vector<std::uint64_t> work_before_;
  mutable std::vector<std::vector<std::uint32_t>> grams_;  // by length - 1, on demand
};

/// Compares turns: the part of their numbers (symbols or grams) that two of them share, in any
/// order (Dice's coefficient).
class Likeness {
 public:
  explicit Likeness(std::uint32_t numbers) : counts_(numbers) {}

  double operator()(std::span<const std::uint32_t> numbers, const Turn& a, const Turn& b);

 private:
  std::vector<std::uint32_t> counts_;  // all 0 between calls
};

}  // namespace prof::loops
