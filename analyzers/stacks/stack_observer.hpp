// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StackObserver: hears how a stack's meaning comes about, range by range (StackWalker::explain).
// Calls nest: the ranges that are followed from a range, such as those around a node's forward op,
// come between its entered() and its left().
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/facts/rule_names.hpp"
#include "analyzers/links/forward_index.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "analyzers/stacks/stack_meaning.hpp"

namespace prof {

class StackObserver {
 public:
  StackObserver() = default;
  StackObserver(const StackObserver&) = delete;
  StackObserver& operator=(const StackObserver&) = delete;
  virtual ~StackObserver() = default;

  /// A range is put on the stack that means `around`.
  virtual void entered(const RangeRow& range, const StackMeaning& around) = 0;
  /// It has that text and means that. An alias has those of `row`, the opening that it repeats.
  virtual void read(const RangeRow& row, const ParsedText& text) = 0;
  /// `range`: where it leads; 0: nowhere.
  virtual void followed(Effect effect, RangeId range) = 0;
  /// The search for the forward op of a node with that sequence number.
  virtual void linked(const ForwardIndex::Found& found, std::optional<std::uint64_t> sequence) = 0;
  virtual void left(const StackMeaning& now) = 0;
  /// Called for an effect that changes the facts of work once its stack is known.
  virtual void added(Effect effect, const Facts& before, const Facts& after) = 0;
};

}  // namespace prof
