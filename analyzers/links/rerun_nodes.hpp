// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RerunNodes: which backward nodes run forward ops again, by the sequence numbers of what they
// call. Autograd numbers an op while it records a graph. It does so in every op of every node of a
// backward pass that makes a graph of its own (create_graph), and otherwise in none, unless a node
// turns recording on to make again what was not kept. Such a node calls ops of both kinds: those of
// its own formula have no number. docs/decisions/0006-pytorch.md. Looks ahead of the
// work, at most as far as the reader keeps ranges. One thread.
#pragma once

#include "analyzers/ranges/range_texts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class RerunNodes {
 public:
  RerunNodes(TraceReader& reader, RangeTexts& texts) : reader_(reader), texts_(texts) {}

  /// To be asked of a node that calls a numbered op; 0 is no node.
  [[nodiscard]] bool reruns_forward(RangeId node);

 private:
  /// It calls something while autograd records no graph.
  [[nodiscard]] bool calls_unrecorded(const RangeRow& node);
  [[nodiscard]] bool is_unrecorded(const RangeRow& called);

  TraceReader& reader_;
  RangeTexts& texts_;
  RangeId last_ = 0;  // the node that was asked for last, and the answer
  bool is_one_ = false;
};

}  // namespace prof
