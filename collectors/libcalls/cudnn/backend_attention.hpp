// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention in a graph of cuDNN's backend that has no operation for it: products around a softmax,
// which is an exponential of the first product's result. The part of the scores that a mask leaves
// out is unknown, unless the mask is the plain causal one.
#pragma once

#include <optional>

#include "collectors/libcalls/call_facts.hpp"

namespace prof::collectors {

struct OperationGraph;

/// Indices of the tensors in the graph.
struct GraphAttention {
  int q = -1, k = -1, v = -1;
  int out = -1;  ///< Set in a forward pass.
  int dy = -1;   ///< Set in a backward pass.
  bool is_causal = false, is_ragged = false;
};

std::optional<GraphAttention> find_attention(const OperationGraph& graph);
void write_attention(CallFacts& facts, const OperationGraph& graph,
                     const GraphAttention& attention);

}  // namespace prof::collectors
