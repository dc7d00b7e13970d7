// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PlainPaths: the tree of the names of plain ranges over a whole trace, which distinguishes layers
// from ops. A range is what it is wherever it has this path: one that holds ranges in one step and
// none in the next is a layer in both. Reads the ranges of threads at most once, and no further
// than the questions need: a layer is known by the first ranges that it holds. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/facts/plain_rules.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "analyzers/steps/step_ranges.hpp"
#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class PlainPaths {
 public:
  /// Names with counters in them make ever new paths; what exceeds this is layers.
  static constexpr std::size_t kMaxPaths = 1U << 18;

  /// All must outlive it.
  PlainPaths(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options,
             const StepRanges& steps);
  ~PlainPaths();
  PlainPaths(const PlainPaths&) = delete;
  PlainPaths& operator=(const PlainPaths&) = delete;

  /// `path`: names joined with ':', as LayerFacts does. A range is an op if it holds no other
  /// ranges, an op and a layer if it holds only such ranges, and a layer if it holds any more. What
  /// holds steps, or what a framework or the program annotates, is a layer, as is one whose name
  /// names no operation.
  [[nodiscard]] PlainRole role_of(std::string_view path);

  /// Any of them is an op.
  [[nodiscard]] bool name_ops();

  /// The result of reading the ranges.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  class Builder;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Roles = std::unordered_map<std::string, PlainRole, Hash, std::equal_to<>>;

  /// Reads all that is left.
  void finish();

  std::unique_ptr<Builder> builder_;  // null: all is read
  Roles roles_;
  Status status_;
};

}  // namespace prof
