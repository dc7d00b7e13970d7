// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkFacts: what --explain says of a row, in sections of facts. Each fact has one key and is
// written twice, for programs and for people, so that both say the same. Most are columns of the
// row kind (rows/gpu_work_fields.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/explanation.hpp"
#include "tools/report/rows/gpu_work.hpp"

namespace prof::reports {

struct ShownFact {
  std::string key;
  std::string json;  ///< A value; empty: for people alone.
  std::string text;  ///< Empty: for programs alone.
};

struct ShownSection {
  std::string_view name;
  std::vector<ShownFact> facts = {};
  /// Why values are null: an object's members.
  std::string absent = {};

  void add(std::string_view key, const Cell& cell, std::string text);
  /// A text for both.
  void add_text(std::string_view key, std::string_view text);
};

/// The sections, without what only the Explanation says.
std::vector<ShownSection> work_facts(WorkRow& row);

/// Adds the Explanation's facts about the cost, before the row's own.
void add_cost(const Explanation& explained, const OpAttribution& op, ShownSection& cost);

/// Facts that the trace or its attribution lacks about this work, and then those that the trace
/// lacks somewhere.
std::vector<ShownSection> loss_facts(const Explanation& explained, const Attribution& work,
                                     TraceReader& trace);

}  // namespace prof::reports
