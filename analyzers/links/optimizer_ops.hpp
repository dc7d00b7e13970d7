// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OptimizerOps: whose the ops are that a method of an optimizer calls outside of modules, where no
// mark says so (OptimizerClosure). PyTorch's optimizers update parameters while autograd records no
// graph, and let it record again for the closure that the program passes to step(). Autograd
// numbers ops while it records, and counts on with each node of a graph. So where a graph is made
// inside a method that calls ops of both kinds, the numbered ones are the closure's: its loss.
// Where all are numbered, the optimizer does not turn recording off; where no graph is made, they
// are those of a hook. In both cases they are the optimizer's. Looks ahead of the work. One thread.
#pragma once

#include <vector>

#include "analyzers/base/recent_map.hpp"
#include "analyzers/ranges/range_texts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class OptimizerOps {
 public:
  OptimizerOps(TraceReader& reader, RangeTexts& texts)
      : reader_(reader), texts_(texts), numbered_are_closures_(kMethods) {}

  /// Whether `op`, called by that method, is a closure's.
  [[nodiscard]] bool is_of_closure(RangeId method, const FrameworkOp& op);

 private:
  /// Some: a closure may call another optimizer's methods.
  static constexpr std::size_t kMethods = 64;

  [[nodiscard]] bool finds_closure(const RangeRow& method);

  TraceReader& reader_;
  RangeTexts& texts_;
  RecentMap<bool> numbered_are_closures_;  // by method
  std::vector<RangeId> callers_;           // the method and the names in it, in their order
};

}  // namespace prof
