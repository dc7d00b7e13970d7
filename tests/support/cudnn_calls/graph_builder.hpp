// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds and executes graphs of cuDNN's backend, as programs do: tensors, operations, a graph, an
// engine by heuristics or by number, a plan.
#pragma once

#include <cudnn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls.hpp"

namespace cudnn_calls {

using Sizes = std::vector<std::int64_t>;

inline cudnnBackendDescriptor_t create(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  cudnnBackendCreateDescriptor(type, &made);
  return made;
}

inline void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, const void* elements, std::size_t count = 1) {
  cudnnBackendSetAttribute(to, name, type, static_cast<std::int64_t>(count), elements);
}
inline void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
                cudnnBackendDescriptor_t value) {
  set(to, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &value);
}
inline void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
                const Sizes& numbers) {
  set(to, name, CUDNN_TYPE_INT64, numbers.data(), numbers.size());
}
inline void set(cudnnBackendDescriptor_t to, cudnnBackendAttributeName_t name,
                cudnnDataType_t type) {
  set(to, name, CUDNN_TYPE_DATA_TYPE, &type);
}

/// How a plan comes to be.
enum class Door { kHeuristics, kEngine, kJson };

class Graph {
 public:
  Graph(const Machine& machine, cudnnHandle_t handle) : machine_(machine), handle_(handle) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Channels last in memory where there are four dimensions; `is_row`: the last one is.
  cudnnBackendDescriptor_t tensor(const Sizes& sizes, cudnnDataType_t type = CUDNN_DATA_HALF,
                                  bool is_row = false);
  /// Not in memory.
  cudnnBackendDescriptor_t between(const Sizes& sizes, bool is_row = false);
  /// In the host's memory.
  cudnnBackendDescriptor_t scalar(float* value, std::size_t rank);
  /// The same memory with the last two dimensions swapped.
  cudnnBackendDescriptor_t turned(const Sizes& sizes);

  cudnnBackendDescriptor_t operation(cudnnBackendDescriptorType_t type);
  void add(cudnnBackendDescriptor_t operation);
  void point(cudnnPointwiseMode_t mode, cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
             cudnnBackendDescriptor_t y);
  void reduce(cudnnReduceTensorOp_t how, cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t y);
  void multiply(cudnnBackendDescriptor_t a, cudnnBackendDescriptor_t b, cudnnBackendDescriptor_t c);
  /// `type`: of the three convolutions.
  void convolve(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t x,
                cudnnBackendDescriptor_t w, cudnnBackendDescriptor_t y, const Sizes& stride);

  /// Prints the line of the execution. False: refused, or no plan is there for it.
  bool execute(const char* line, Door door = Door::kHeuristics, bool is_to_graph = false);
  /// Ns a call, with descriptors of the operands made for each, as frameworks make them; negative:
  /// refused.
  double time_of_execution(int calls);

 private:
  cudnnBackendDescriptor_t made(cudnnBackendDescriptor_t descriptor);
  cudnnBackendDescriptor_t tensor_of(const Sizes& sizes, const Sizes& strides, cudnnDataType_t type,
                                     bool is_virtual, bool is_scalar, void* memory);
  cudnnBackendDescriptor_t plan(Door door);
  cudnnBackendDescriptor_t plan_of(cudnnBackendDescriptor_t config);
  cudnnBackendDescriptor_t variants();

  const Machine& machine_;
  cudnnHandle_t handle_;
  std::vector<cudnnBackendDescriptor_t> made_, operations_;
  std::vector<std::int64_t> ids_;
  std::vector<void*> places_;
  std::size_t used_ = 0;
  std::int64_t next_id_ = 1;
};

}  // namespace cudnn_calls
