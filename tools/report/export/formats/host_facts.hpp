// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// HostFacts: what the stack around a range or a call says: layer, op, direction, sizes, step. One
// trace, one pass over it.
#pragma once

#include <memory>
#include <optional>

#include "analyzers/ranges/range_texts.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "tools/report/filter/row_filter.hpp"

namespace prof::exports {

class HostFacts {
 public:
  /// Both must outlive it.
  HostFacts(TraceReader& trace, const reports::RowFilter& filter);

  struct Point {
    std::shared_ptr<const OpAttribution> op;
    std::optional<std::int64_t> step;
  };
  Point at(RangeId innermost, std::optional<std::int64_t> time_ns);
  /// Whether --layer, --op and --dir want what is there.
  [[nodiscard]] bool takes(const OpAttribution& op) const;
  /// The range itself says that it is a step.
  bool is_step(RangeId range);

 private:
  TraceReader& trace_;
  const reports::RowFilter& filter_;
  StackWalker stacks_;
  RangeTexts texts_;
};

}  // namespace prof::exports
