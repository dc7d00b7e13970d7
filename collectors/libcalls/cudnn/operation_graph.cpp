// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/operation_graph.hpp"

#include <algorithm>
#include <utility>

#include "collectors/libcalls/cudnn/descriptors.hpp"

namespace prof::collectors {

using enum Operation;

const std::vector<std::int64_t>& GraphTensor::sizes() const {
  static const auto* const none = new std::vector<std::int64_t>;
  const BackendNode::Attribute* const found = node->find(Attribute::kSizes);
  return found == nullptr ? *none : found->numbers;
}

int OperationGraph::place_of(const BackendNode* tensor) {
  if (tensor == nullptr) return -1;
  const std::int64_t id = tensor->number(Attribute::kId, -1);
  const auto found = std::ranges::find_if(tensors, [&](const GraphTensor& known) {
    return known.node == tensor || (id >= 0 && known.id == id);
  });
  if (found != tensors.end()) return static_cast<int>(found - tensors.begin());
  GraphTensor made{tensor, id};
  made.is_virtual = tensor->number(Attribute::kIsVirtual, 0) != 0;
  made.is_scalar = tensor->number(Attribute::kIsByValue, 0) != 0;
  tensors.push_back(made);
  return static_cast<int>(tensors.size()) - 1;
}

bool OperationGraph::read(const BackendNode& graph) {
  const BackendNode::Attribute* const all = graph.find(Attribute::kGraphOperations);
  if (all == nullptr || all->nodes.empty()) return false;
  for (const BackendNode::Link& node : all->nodes) {
    const OperationForm* const form = node == nullptr ? nullptr : form_of_operation(node->type);
    if (form == nullptr) return false;
    GraphOperation made{node.get(), form, {}, {}};
    const auto read = [&](const auto& attributes, std::vector<int>& places) {
      for (const int attribute : attributes) {
        if (attribute == 0) continue;
        const BackendNode::Attribute* const operand = node->find(attribute);
        if (operand == nullptr || operand->nodes.empty()) {
          places.push_back(-1);
          continue;
        }
        for (const BackendNode::Link& tensor : operand->nodes) {
          places.push_back(place_of(tensor.get()));
        }
      }
    };
    read(form->inputs, made.inputs);
    read(form->outputs, made.outputs);
    if (form->type == kPointwise) {
      const BackendNode* const what = node->node(form->what);
      made.mode = what == nullptr ? -1 : what->number(Attribute::kPointwiseMode, -1);
    }
    const bool gives_statistics =
        form->type == kNormForward && node->number(Attribute::kNormPhase, 1) == 0;  // Inference.
    for (std::size_t i = 0; i < made.outputs.size(); ++i) {
      if (made.outputs[i] < 0 || (gives_statistics && i > 0)) continue;
      tensors[static_cast<std::size_t>(made.outputs[i])].made_by =
          static_cast<int>(operations.size());
    }
    operations.push_back(std::move(made));
  }
  return true;
}

bool OperationGraph::is_in_memory(int tensor) const {
  if (tensor < 0) return false;
  const GraphTensor& known = tensors[static_cast<std::size_t>(tensor)];
  return !known.is_virtual && !known.is_scalar;
}

bool OperationGraph::is_after(int operation, int tensor) const {
  // Operations may be in any order; each is visited once.
  std::vector<int> open{operation};
  std::vector<bool> is_seen(operations.size(), false);
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (at < 0 || is_seen[static_cast<std::size_t>(at)]) continue;
    is_seen[static_cast<std::size_t>(at)] = true;
    for (const int input : operations[static_cast<std::size_t>(at)].inputs) {
      if (input == tensor) return true;
      if (input >= 0) open.push_back(tensors[static_cast<std::size_t>(input)].made_by);
    }
  }
  return false;
}

int OperationGraph::source_of(int tensor) const {
  if (tensor < 0 || !tensors[static_cast<std::size_t>(tensor)].is_virtual) return tensor;
  const int maker = tensors[static_cast<std::size_t>(tensor)].made_by;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool is_source = tensors[i].made_by < 0 && is_in_memory(static_cast<int>(i)) &&
                           tensors[i].sizes() == tensors[static_cast<std::size_t>(tensor)].sizes();
    if (is_source && maker >= 0 && is_after(maker, static_cast<int>(i))) return static_cast<int>(i);
  }
  return tensor;
}

int OperationGraph::result_of(int tensor) const {
  if (tensor < 0 || !tensors[static_cast<std::size_t>(tensor)].is_virtual) return tensor;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const bool is_result = tensors[i].made_by >= 0 && is_in_memory(static_cast<int>(i)) &&
                           tensors[i].sizes() == tensors[static_cast<std::size_t>(tensor)].sizes();
    if (is_result && is_after(tensors[i].made_by, tensor)) return static_cast<int>(i);
  }
  return tensor;
}

/// Only the sizes are known of a virtual tensor that stands for none in memory.
void OperationGraph::write(CallFacts& facts, int tensor) const {
  if (tensor < 0) return facts.none();
  const GraphTensor& known = tensors[static_cast<std::size_t>(tensor)];
  const auto& sizes = known.sizes();
  if (sizes.empty() || sizes.size() > CudnnTensor::kMaxRank) return facts.unknown();
  const BackendNode::Attribute* const strides = known.node->find(Attribute::kStrides);
  const bool has_strides = strides != nullptr && strides->numbers.size() == sizes.size();
  const DataType type = known.is_virtual ? DataType::kUnknown
                                         : type_of_cudnn(known.node->number(Attribute::kType, -1));
  facts.tensor(type, sizes, has_strides ? strides->numbers.data() : nullptr);
}

}  // namespace prof::collectors
