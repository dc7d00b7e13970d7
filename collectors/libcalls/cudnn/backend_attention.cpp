// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/backend_attention.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectors/libcalls/cudnn/descriptors.hpp"
#include "collectors/libcalls/cudnn/operation_graph.hpp"

namespace prof::collectors {
namespace {

using enum Operation;

const GraphTensor& tensor_at(const OperationGraph& graph, int at) {
  return graph.tensors[static_cast<std::size_t>(at)];
}

/// Whether GEN_INDEX made the tensor along that dimension.
bool is_index(const OperationGraph& graph, int tensor, std::int64_t axis) {
  if (tensor < 0 || tensor_at(graph, tensor).made_by < 0) return false;
  const auto& maker = graph.operations[static_cast<std::size_t>(tensor_at(graph, tensor).made_by)];
  if (!maker.is(kPointwise) || maker.mode != kModeGenIndex) return false;
  const BackendNode* const what = maker.node->node(maker.form->what);
  return what != nullptr && what->number(Attribute::kPointwiseAxis, -1) == axis;
}

/// Whether the only comparison of positions is that the row is at least the column.
bool is_causal(const OperationGraph& graph) {
  int comparisons = 0;
  bool is_plain = false;
  for (const GraphOperation& one : graph.operations) {
    if (!one.is(kPointwise) || one.mode < kModeFirstComparison || one.mode > kModeLastComparison)
      continue;
    ++comparisons;
    is_plain = one.mode == kModeGreaterEqual && is_index(graph, one.input(0), 2) &&
               is_index(graph, one.input(1), 3);
  }
  return comparisons == 1 && is_plain;
}

/// (batch, heads, keys, width): a product takes keys transposed.
std::vector<std::int64_t> turned(std::vector<std::int64_t> sizes) {
  std::swap(sizes[2], sizes[3]);
  return sizes;
}

void write_sizes(CallFacts& facts, const OperationGraph& graph, int tensor,
                 const std::vector<std::int64_t>& sizes) {
  const BackendNode& node = *tensor_at(graph, tensor).node;
  facts.tensor(type_of_cudnn(node.number(Attribute::kType, -1)), sizes);
}

}  // namespace

std::optional<GraphAttention> find_attention(const OperationGraph& graph) {
  std::vector<const GraphOperation*> products;
  std::vector<int> exponentials;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const GraphOperation& one = graph.operations[i];
    if (one.is(kMatmul)) products.push_back(&one);
    if (one.is(kPointwise) && one.mode == kModeExp) exponentials.push_back(static_cast<int>(i));
  }
  const bool is_forward = products.size() == 2, is_backward = products.size() == 5;
  if ((!is_forward && !is_backward) || exponentials.size() != 1) return std::nullopt;
  GraphAttention found;
  for (const GraphOperation* one : products) {
    const int a = one->input(0), b = one->input(1), c = one->output(0);
    if (a < 0 || b < 0 || c < 0) return std::nullopt;
    const bool is_of_memory = graph.is_in_memory(a) && graph.is_in_memory(b) &&
                              tensor_at(graph, a).made_by < 0 && tensor_at(graph, b).made_by < 0;
    if (is_of_memory && graph.is_after(exponentials.front(), c)) {
      found.q = a;
      found.k = b;
    } else if (is_of_memory && is_backward) {
      found.dy = a;
      found.v = b;
    } else if (is_forward) {
      found.v = graph.source_of(b);
      found.out = graph.result_of(c);
    }
  }
  const bool is_whole =
      found.q >= 0 && found.k >= 0 && found.v >= 0 && (is_forward ? found.out >= 0 : found.dy >= 0);
  if (!is_whole) return std::nullopt;
  for (const int tensor : {found.q, found.k, found.v}) {
    if (tensor_at(graph, tensor).sizes().size() != 4) return std::nullopt;
    found.is_ragged =
        found.is_ragged || tensor_at(graph, tensor).node->has(Attribute::kRaggedOffsets);
  }
  found.is_causal = is_causal(graph);
  return found;
}

void write_attention(CallFacts& facts, const OperationGraph& graph,
                     const GraphAttention& attention) {
  const bool is_backward = attention.dy >= 0;
  facts.op(is_backward ? "cudnn::sdpa_backward" : "cudnn::sdpa");
  facts.fact("recognized", "products around a softmax");
  facts.fact("layout", "bhsd");
  if (attention.is_causal) facts.flag("is_causal", true);
  // Sequences lie behind each other: the sizes are those of the longest, so nothing follows from
  // them.
  if (attention.is_ragged) return facts.fact("lengths", "ragged");
  const auto& v = tensor_at(graph, attention.v).sizes();
  if (is_backward) graph.write(facts, attention.dy);
  graph.write(facts, attention.q);
  write_sizes(facts, graph, attention.k, turned(tensor_at(graph, attention.k).sizes()));
  // In a backward pass the product with the gradient takes the values transposed.
  write_sizes(facts, graph, attention.v, is_backward ? turned(v) : v);
  if (!is_backward) {
    graph.write(facts, attention.out);
    return facts.none();
  }
  facts.none();
  facts.none();
  int places = 3;
  for (std::size_t i = 0; i < graph.tensors.size() && places > 0; ++i) {
    const bool is_result = graph.tensors[i].made_by >= 0;
    if (!is_result || !graph.is_in_memory(static_cast<int>(i))) continue;
    graph.write(facts, static_cast<int>(i));
    --places;
  }
  for (; places > 0; --places) facts.none();
}

}  // namespace prof::collectors
