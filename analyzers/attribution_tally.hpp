// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// AttributionTally: counts what could not be attributed, row by row. A value.
#pragma once

#include <string>
#include <string_view>

#include "analyzers/held_rows.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "analyzers/stacks/stack_meaning.hpp"

namespace prof {

class AttributionTally {
 public:
  /// The stack of a row that is taken, and whether the row is attributed by a graph's node instead.
  void add_stack(const StackMeaning& stack);
  void add_replayed() { ++counts_.replayed; }

  /// A row that is returned.
  void add(const HeldRow& row);
  /// A kernel without a layer is inside of a range of that domain, which is not read.
  void add_in_unread_domain(std::string_view name) {
    ++counts_.in_unread_domains[std::string(name)];
  }
  /// It was launched while a range of the process was open.
  void add_in_process_range() { ++counts_.in_process_ranges; }

  [[nodiscard]] const AttributionCounts& counts() const { return counts_; }

 private:
  void add_contradictions(const Attribution& kernel);
  void add_unknown_op(const std::string& op);

  AttributionCounts counts_;
};

}  // namespace prof
