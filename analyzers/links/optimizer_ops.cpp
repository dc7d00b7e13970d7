// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/optimizer_ops.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "analyzers/links/look_ahead.hpp"

namespace prof {
namespace {

/// An op of the optimizer itself. Ops that take no tensors have no number in any case; but shapes
/// may be missing.
bool is_update(const FrameworkOp& op) {
  return !op.is_recorded && op.optimizer.empty() &&
         (!op.op->tensors.empty() || op.looks_like_update);
}

/// Names do not change the caller: ops in a range that the program names inside a method are still
/// called by the method.
bool is_name(const dialects::RangeMeaning& meaning) {
  return meaning.is<PlainName>() || meaning.is<NoMeaning>() || meaning.is<SourceLine>() ||
         meaning.is<CompiledCode>();
}

}  // namespace

bool OptimizerOps::is_of_closure(RangeId method, const FrameworkOp& op) {
  if (method == 0 || !op.is_recorded) return false;
  if (const bool* known = numbered_are_closures_.find(method)) return *known;
  const RangeRef row = reader_.range(method);
  const bool answer = row && finds_closure(*row);
  numbered_are_closures_.put(method, answer);
  return answer;
}

bool OptimizerOps::finds_closure(const RangeRow& method) {
  bool has_graph = false, has_update = false, is_told = false;
  std::optional<std::uint64_t> first;
  callers_ = {method.id};
  const auto stops_at = [&](const RangeRow& row) {
    const dialects::RangeMeaning& meaning = texts_.parse(row).meaning;
    const auto* op = meaning.as<FrameworkOp>();
    if (op != nullptr && op->is_recorded) {
      const auto number = texts_.sequence(row, meaning.ties);
      if (!first) first = number;
      has_graph |= number != first;
    }
    if (std::ranges::binary_search(callers_, row.parent)) {
      if (is_name(meaning)) callers_.push_back(row.id);
      has_update |= op != nullptr && is_update(*op);
      is_told = meaning.is<OptimizerClosure>();
    }
    return is_told || (has_graph && has_update);
  };
  // A method that calls more than can be looked at runs a whole training step.
  const bool is_large = look_ahead(reader_, method, stops_at) == LookAhead::kGivenUp;
  return !is_told && has_graph && (has_update || is_large);
}

}  // namespace prof
