// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "graph_builder.hpp"

#include <chrono>
#include <cstdio>
#include <numeric>
#include <utility>

namespace cudnn_calls {
namespace {

Sizes strides_of(const Sizes& sizes, bool is_row) {
  std::vector<std::size_t> order(sizes.size());  // The innermost last.
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!is_row && sizes.size() == 4) order = {0, 2, 3, 1};
  Sizes strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= sizes[order[i]];
  }
  return strides;
}

}  // namespace

Graph::~Graph() {
  for (std::size_t i = made_.size(); i-- > 0;) cudnnBackendDestroyDescriptor(made_[i]);
}

cudnnBackendDescriptor_t Graph::made(cudnnBackendDescriptor_t descriptor) {
  made_.push_back(descriptor);
  return descriptor;
}

cudnnBackendDescriptor_t Graph::tensor_of(const Sizes& sizes, const Sizes& strides,
                                          cudnnDataType_t type, bool is_virtual, bool is_scalar,
                                          void* memory) {
  const auto tensor = made(create(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  const Sizes id{next_id_++}, alignment{16};
  set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  set(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, alignment);
  set(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
  set(tensor, CUDNN_ATTR_TENSOR_STRIDES, strides);
  set(tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, &is_virtual);
  if (is_scalar) set(tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, &is_scalar);
  cudnnBackendFinalize(tensor);
  if (!is_virtual) {
    ids_.push_back(id.front());
    places_.push_back(memory);
  }
  return tensor;
}

cudnnBackendDescriptor_t Graph::tensor(const Sizes& sizes, cudnnDataType_t type, bool is_row) {
  void* const memory = machine_.memory + used_;
  used_ += std::size_t{1} << 20;
  return tensor_of(sizes, strides_of(sizes, is_row), type, false, false, memory);
}

cudnnBackendDescriptor_t Graph::between(const Sizes& sizes, bool is_row) {
  return tensor_of(sizes, strides_of(sizes, is_row), CUDNN_DATA_FLOAT, true, false, nullptr);
}

cudnnBackendDescriptor_t Graph::scalar(float* value, std::size_t rank) {
  const Sizes ones(rank, 1);
  return tensor_of(ones, ones, CUDNN_DATA_FLOAT, false, true, value);
}

cudnnBackendDescriptor_t Graph::turned(const Sizes& sizes) {
  void* const memory = machine_.memory + used_;
  used_ += std::size_t{1} << 20;
  Sizes strides = strides_of(sizes, true), swapped = sizes;
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  return tensor_of(swapped, strides, CUDNN_DATA_HALF, false, false, memory);
}

cudnnBackendDescriptor_t Graph::operation(cudnnBackendDescriptorType_t type) {
  return made(create(type));
}

void Graph::add(cudnnBackendDescriptor_t operation) {
  const cudnnStatus_t status = cudnnBackendFinalize(operation);
  if (status != CUDNN_STATUS_SUCCESS) std::fprintf(stderr, "an operation: %d\n", status);
  operations_.push_back(operation);
}

void Graph::point(cudnnPointwiseMode_t mode, cudnnBackendDescriptor_t x, cudnnBackendDescriptor_t b,
                  cudnnBackendDescriptor_t y) {
  const auto what = made(create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  set(what, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, &mode);
  set(what, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  cudnnBackendFinalize(what);
  const auto made = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set(made, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, what);
  set(made, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
  if (b != nullptr) set(made, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b);
  set(made, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
  add(made);
}

void Graph::reduce(cudnnReduceTensorOp_t how, cudnnBackendDescriptor_t x,
                   cudnnBackendDescriptor_t y) {
  const auto what = made(create(CUDNN_BACKEND_REDUCTION_DESCRIPTOR));
  set(what, CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, &how);
  set(what, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  cudnnBackendFinalize(what);
  const auto made = operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  set(made, CUDNN_ATTR_OPERATION_REDUCTION_DESC, what);
  set(made, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
  set(made, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
  add(made);
}

void Graph::multiply(cudnnBackendDescriptor_t a, cudnnBackendDescriptor_t b,
                     cudnnBackendDescriptor_t c) {
  const auto what = made(create(CUDNN_BACKEND_MATMUL_DESCRIPTOR));
  set(what, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  cudnnBackendFinalize(what);
  const auto made = operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  set(made, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
  set(made, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
  set(made, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
  set(made, CUDNN_ATTR_OPERATION_MATMUL_DESC, what);
  add(made);
}

void Graph::convolve(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t x,
                     cudnnBackendDescriptor_t w, cudnnBackendDescriptor_t y, const Sizes& stride) {
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t alpha, beta, what, x, w, y;
  };
  constexpr Names kAll[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY}};
  const auto what = made(create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  const Sizes padding(stride.size(), 1), dilation(stride.size(), 1);
  const Sizes rank{static_cast<std::int64_t>(stride.size())};
  set(what, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  set(what, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, &mode);
  set(what, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, rank);
  set(what, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, padding);
  set(what, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, padding);
  set(what, CUDNN_ATTR_CONVOLUTION_DILATIONS, dilation);
  set(what, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, stride);
  cudnnBackendFinalize(what);
  const auto made = operation(type);
  const float one = 1, zero = 0;
  for (const Names& names : kAll) {
    if (names.type != type) continue;
    set(made, names.alpha, CUDNN_TYPE_FLOAT, &one);
    set(made, names.beta, CUDNN_TYPE_FLOAT, &zero);
    set(made, names.what, what);
    set(made, names.x, x);
    set(made, names.w, w);
    set(made, names.y, y);
  }
  add(made);
}

cudnnBackendDescriptor_t Graph::plan_of(cudnnBackendDescriptor_t config) {
  const auto plan = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle_);
  set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (cudnnBackendFinalize(plan) == CUDNN_STATUS_SUCCESS) return plan;
  cudnnBackendDestroyDescriptor(plan);
  return nullptr;
}

cudnnBackendDescriptor_t Graph::plan(Door door) {
  const auto graph = made(create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations_.data(),
      operations_.size());
  set(graph, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &handle_);
  if (cudnnBackendFinalize(graph) != CUDNN_STATUS_SUCCESS) return nullptr;
  if (door == Door::kEngine) {
    for (std::int64_t index = 0; index < 64; ++index) {
      const auto engine = made(create(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
      set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
      set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, Sizes{index});
      if (cudnnBackendFinalize(engine) != CUDNN_STATUS_SUCCESS) continue;
      const auto config = made(create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
      set(config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
      if (cudnnBackendFinalize(config) != CUDNN_STATUS_SUCCESS) continue;
      if (const auto plan = plan_of(config); plan != nullptr) return plan;
    }
    return nullptr;
  }
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    const auto heuristics = made(create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
    set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
    set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode);
    if (cudnnBackendFinalize(heuristics) != CUDNN_STATUS_SUCCESS) continue;
    constexpr std::int64_t kMost = 16;
    std::vector<cudnnBackendDescriptor_t> configs;
    for (std::int64_t i = 0; i < kMost; ++i) {
      configs.push_back(made(create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)));
    }
    std::int64_t count = 0;
    cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, kMost, &count, configs.data());
    for (std::int64_t i = 0; i < count && i < kMost; ++i) {
      const auto plan = plan_of(configs[static_cast<std::size_t>(i)]);
      if (plan != nullptr) return plan;
    }
  }
  return nullptr;
}

cudnnBackendDescriptor_t Graph::variants() {
  const auto variants = create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  void* const work = machine_.memory + machine_.bytes / 2;
  set(variants, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids_);
  set(variants, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, places_.data(),
      places_.size());
  set(variants, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &work);
  cudnnBackendFinalize(variants);
  return variants;
}

double Graph::time_of_execution(int calls) {
  const auto plan = this->plan(Door::kHeuristics);
  if (plan == nullptr) return -1;
  const auto call = [&] {
    const auto pack = variants();
    const cudnnStatus_t status = cudnnBackendExecute(handle_, plan, pack);
    cudnnBackendDestroyDescriptor(pack);
    return status == CUDNN_STATUS_SUCCESS;
  };
  for (int i = 0; i < 100; ++i) call();
  cudaDeviceSynchronize();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    if (!call()) return -1;
    if (i % 500 == 499) cudaDeviceSynchronize();  // The queue of launches stays short.
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
  cudnnBackendDestroyDescriptor(plan);
  return took.count() / calls;
}

bool Graph::execute(const char* line, Door door, bool is_to_graph) {
  auto plan = this->plan(door);
  if (plan != nullptr && door == Door::kJson) {
    std::vector<char> text(std::size_t{1} << 20);
    std::int64_t bytes = 0;
    cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                             static_cast<std::int64_t>(text.size()), &bytes, text.data());
    cudnnBackendDestroyDescriptor(plan);
    plan = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &handle_);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, text.data(),
        static_cast<std::size_t>(bytes));
    cudnnBackendFinalize(plan);
  }
  const auto pack = variants();
  cudaGraph_t graph = nullptr;
  if (is_to_graph && machine_.is_real) cudaGraphCreate(&graph, 0);
  const bool is_done = said(
      machine_, is_to_graph ? "cudnnBackendPopulateCudaGraph" : "cudnnBackendExecute", line, [&] {
        if (plan == nullptr) return CUDNN_STATUS_NOT_SUPPORTED;
        return is_to_graph ? cudnnBackendPopulateCudaGraph(handle_, plan, pack, graph)
                           : cudnnBackendExecute(handle_, plan, pack);
      });
  if (is_done && graph != nullptr) {
    cudaGraphExec_t executable = nullptr;
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphLaunch(executable, machine_.stream);
    cudaStreamSynchronize(machine_.stream);
    cudaGraphExecDestroy(executable);
  }
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudnnBackendDestroyDescriptor(pack);
  if (plan != nullptr) cudnnBackendDestroyDescriptor(plan);
  return is_done;
}

}  // namespace cudnn_calls
