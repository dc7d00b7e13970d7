// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Explanation: why one piece of GPU work is attributed as it is. A value, which says what the
// analyzers did; tools/report/explain prints it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/facts/rule_names.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "libprof/model/records.hpp"

namespace prof {

/// A range around the work, or something else that says what the work is.
struct ExplainedRange {
  /// Where a range leads: from a backward node to the forward op.
  struct Lead {
    RuleName by;
    RangeId range = 0;  ///< 0: nowhere.
    std::string how;    ///< "by sequence number 12 on thread 3".
  };

  std::uint32_t depth = 0;  ///< 1 and more: of a stack that is followed from the range before it.
  RangeId range = 0;        ///< 0: no range.
  std::string text = {};    ///< As the program passed it; of an op fact its signature.
  std::string_view dialect = {};  ///< The dialect that reads it; empty: none.
  std::string problem = {};       ///< It looks like a text of the dialect, but is malformed.
  RuleName by = {};
  std::vector<Lead> leads = {};
  std::vector<FactChange> changes = {};
  /// The changes are for what is opened inside of it: the work itself keeps its facts.
  bool is_for_inner = false;
};

/// A kernel of the same op instance.
struct SharingWork {
  std::uint64_t idx = 0;  ///< Among all rows, from 1.
  std::string name;
  bool is_main = false;
  double share = 0;
};

/// How the cost of the op was counted.
struct ExplainedCost {
  std::string op;                ///< The op whose cost it is: "aten::addmm"; empty: there is no op.
  std::string_view model, file;  ///< Empty: no model knows the op.
  std::string_view flops, bytes, basis;  ///< Formulas of docs/ops.md; empty: they do not apply.
  std::string numbers;                   ///< ops::formula_with_numbers()
  std::string why;                       ///< Why the work has its share.
};

struct Explanation {
  std::vector<ExplainedRange> ranges;  ///< Outermost first.
  ExplainedCost cost;
  std::vector<SharingWork> sharing;  ///< All of the op instance, the first ones, itself too.
  std::uint64_t in_instance = 0;     ///< How many there are.
  AttributionCounts counts;          ///< Counts for this work alone.
  /// Where the ranges, read again, say something else than they did when the work was attributed.
  std::vector<FactChange> differences;
};

}  // namespace prof
