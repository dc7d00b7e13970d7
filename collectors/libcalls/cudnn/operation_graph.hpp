// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations of a graph of cuDNN's backend and the tensors between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/cudnn/backend_operations.hpp"
#include "collectors/libcalls/cudnn/backend_table.hpp"

namespace prof::collectors {

/// A tensor of a graph: descriptors with the same id denote one tensor.
struct GraphTensor {
  const BackendNode* node = nullptr;
  std::int64_t id = 0;
  int made_by = -1;  ///< The operation that makes it; negative: it comes from outside.
  bool is_virtual = false, is_scalar = false;

  [[nodiscard]] const std::vector<std::int64_t>& sizes() const;
};

/// An operation with the indices of its tensors in the graph; negative: it has none there.
struct GraphOperation {
  const BackendNode* node = nullptr;
  const OperationForm* form = nullptr;
  std::vector<int> inputs, outputs;  ///< In the order of the form.
  std::int64_t mode = -1;            ///< Mode of a pointwise operation.

  [[nodiscard]] int input(std::size_t at) const { return at < inputs.size() ? inputs[at] : -1; }
  [[nodiscard]] int output(std::size_t at) const { return at < outputs.size() ? outputs[at] : -1; }
  [[nodiscard]] bool is(Operation type) const { return form->type == type; }
};

struct OperationGraph {
  /// Reads the graph. False: it has an unknown operation.
  bool read(const BackendNode& graph);

  /// Whether the operation uses a result that is derived from `tensor`.
  [[nodiscard]] bool is_after(int operation, int tensor) const;
  /// A tensor in memory that has the same sizes and that a virtual one is made of, or that is made
  /// of it; the tensor itself if it is in memory or there is none.
  [[nodiscard]] int source_of(int tensor) const;
  [[nodiscard]] int result_of(int tensor) const;
  [[nodiscard]] bool is_in_memory(int tensor) const;
  void write(CallFacts& facts, int tensor) const;

  std::vector<GraphTensor> tensors;
  std::vector<GraphOperation> operations;

 private:
  int place_of(const BackendNode* tensor);
};

}  // namespace prof::collectors
