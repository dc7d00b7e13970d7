// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StackMeaning: what one opening of a range means for work launched directly under it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analyzers/model/attribution.hpp"
#include "analyzers/steps/step_ranges.hpp"
#include "libprof/model/records.hpp"

namespace prof {

struct Context;

/// An opening of a plain range.
struct PlainOpening {
  RangeId id = 0;
  RangeId around = 0;  ///< The range around it on the current stack.
  std::int64_t end_ns = INT64_MAX;
};

struct StackMeaning {
  Context* context = nullptr;     ///< The whole stack.
  Context* attributed = nullptr;  ///< The context that the work is attributed to.
  std::uint64_t op_id = 0;        ///< The range of the reported op; 0: none.
  std::uint64_t call_id = 0;      ///< Attribution::call_id.
  std::uint64_t owner_id = 0;     ///< The range of the op that owns the cost; 0: none.
  std::uint64_t subject_id = 0;   ///< The range of the op that the owner is a part of; 0: none.
  /// The range of the innermost other owner, if that is not the subject.
  std::uint64_t caller_id = 0;
  RangeId around_owner = 0;  ///< The range around the owner; leads to the next outer owner.
  std::int64_t owner_end_ns = INT64_MAX;
  PlainOpening plain{};    ///< The innermost plain range.
  RangeId node = 0;        ///< The innermost backward node.
  RangeId optimizer = 0;   ///< The optimizer's method that calls what is entered next; 0: none.
  RangeId graph_call = 0;  ///< The innermost call of a compiled graph; 0: none.
  bool nested = false;     ///< A framework's op, which may hold several owners.
  std::optional<OpenStep> step{};  ///< The innermost one.
  bool broken = false;             ///< The stack refers to a missing range, or is circular.
  /// Domain of the outermost range that is not read; default: none.
  DomainId unread = kDefaultDomain;
  std::uint32_t depth = 0;  ///< Ranges on the stack; those beyond kMaxDepth are ignored.
  SequenceNumbers seq{};

  /// Deeper stacks only occur in damaged files, and each range may cost as much as all below it.
  static constexpr std::uint32_t kMaxDepth = 1024;

  /// The ids of all ops on the stack; 0: none.
  std::array<std::uint64_t*, 5> op_ids() {
    return {&op_id, &call_id, &owner_id, &subject_id, &caller_id};
  }

  /// The op of that opening owns the work. `around` is the range around it on the current stack,
  /// which may differ from the one at the opening.
  void own(RangeId opening, RangeId around, std::optional<std::int64_t> end_ns) {
    owner_id = opening;
    subject_id = caller_id = 0;
    around_owner = around;
    owner_end_ns = end_ns.value_or(INT64_MAX);
  }
};

}  // namespace prof
