// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessSteps: the steps that a program marks as process ranges (nvtxRangeStart), which apply by
// time to the launches of all its threads, whatever is on their stacks. A step that begins in a
// range that says so is not marked: the program has neither modules nor ops marked in it. 40 bytes
// per step. Immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

class ProcessSteps {
 public:
  /// Reads all steps.
  ProcessSteps(TraceReader& reader, const dialects::Registry& dialects);

  /// The step open at that time; if several, the one that began last.
  [[nodiscard]] std::optional<std::int64_t> at(std::int64_t time_ns) const;
  /// Its index: steps are numbered from 0, in the order of their begin.
  [[nodiscard]] std::optional<std::uint32_t> index_at(std::int64_t time_ns) const;

  [[nodiscard]] std::int64_t number(std::uint32_t index) const { return steps_[index].number; }
  /// INT64_MAX: it never ended.
  [[nodiscard]] std::int64_t end_ns(std::uint32_t index) const { return steps_[index].end_ns; }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  [[nodiscard]] bool is_marked(std::uint32_t index) const { return steps_[index].is_marked; }
  [[nodiscard]] bool all_marked() const { return all_marked_; }

 private:
  struct Step {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
    std::int64_t latest_end_ns = 0;  // of this step and all that began before it
    std::int64_t number = 0;
    bool is_marked = true;
  };

  std::vector<Step> steps_;  // by start
  bool all_marked_ = true;
};

}  // namespace prof
