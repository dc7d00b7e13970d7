// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "graph_builder.hpp"

namespace cudnn_calls {
namespace {

using Type = cudnnBackendDescriptorType_t;

/// Executes graphs, and counts those that are refused.
class Backend {
 public:
  Backend(const Machine& machine, cudnnHandle_t handle) : machine_(machine), handle_(handle) {}

  int make() {
    convolve();
    fuse();
    multiply();
    point();
    normalize();
    attend();
    return refused_;
  }

 private:
  void note(bool is_done) {
    if (!is_done) ++refused_;
  }

  void convolution(Type type, const char* line, Door door = Door::kHeuristics,
                   bool is_to_graph = false) {
    Graph graph(machine_, handle_);
    const auto x = graph.tensor({2, 16, 8, 8}), w = graph.tensor({32, 16, 3, 3}),
               y = graph.tensor({2, 32, 4, 4});
    graph.convolve(type, x, w, y, {2, 2});
    note(graph.execute(line, door, is_to_graph));
  }

  void convolve() {
    const char* const kForward =
        "cudnn::conv_fprop 2x16x8x8:float16 32x16x3x3:float16 2x32x4x4:float16 stride=2,2 "
        "padding=1,1 dilation=1,1 compute=float32 operations=conv_fprop";
    convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, kForward);
    convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, kForward, Door::kEngine);
    convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                "cudnn::graph plan=restored_from_JSON", Door::kJson);
    if (machine_.before == nullptr) {
      convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, kForward,
                  Door::kHeuristics, true);
    }
    convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                "cudnn::conv_dgrad 32x16x3x3:float16 2x32x4x4:float16 2x16x8x8:float16 part=data");
    convolution(
        CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
        "cudnn::conv_wgrad 2x16x8x8:float16 2x32x4x4:float16 32x16x3x3:float16 part=weight");
  }

  void fuse() {
    Graph graph(machine_, handle_);
    const Sizes sizes{2, 32, 8, 8};
    const auto x = graph.tensor({2, 16, 8, 8}), w = graph.tensor({32, 16, 3, 3});
    const auto bias = graph.tensor({1, 32, 1, 1}), y = graph.tensor(sizes);
    const auto product = graph.between(sizes), sum = graph.between(sizes);
    graph.convolve(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, x, w, product, {1, 1});
    graph.point(CUDNN_POINTWISE_ADD, product, bias, sum);
    graph.point(CUDNN_POINTWISE_RELU_FWD, sum, nullptr, y);
    note(graph.execute(
        "cudnn::conv_fprop_fused 2x16x8x8:float16 32x16x3x3:float16 1x32x1x1:float16 - - - "
        "2x32x8x8:float16 - - operations=conv_fprop_add_relu epilogue=add_relu"));
  }

  void multiply() {
    Graph graph(machine_, handle_);
    const auto a = graph.tensor({3, 64, 32}, CUDNN_DATA_HALF, true),
               b = graph.tensor({3, 32, 48}, CUDNN_DATA_HALF, true),
               c = graph.tensor({3, 64, 48}, CUDNN_DATA_HALF, true);
    graph.multiply(a, b, c);
    note(graph.execute(
        "cudnn::matmul 3x64x32:float16 3x32x48:float16 3x64x48:float16 compute=float32"));
  }

  void point() {
    const Sizes sizes{2, 16, 8, 8};
    {
      Graph graph(machine_, handle_);
      const auto a = graph.tensor(sizes), b = graph.tensor(sizes), c = graph.tensor(sizes);
      graph.point(CUDNN_POINTWISE_ADD, a, b, c);
      note(graph.execute("cudnn::op_add 2x16x8x8:float16 2x16x8x8:float16 2x16x8x8:float16"));
    }
    {
      Graph graph(machine_, handle_);
      const auto a = graph.tensor(sizes), b = graph.tensor(sizes), c = graph.tensor(sizes);
      const auto between = graph.between(sizes);
      graph.point(CUDNN_POINTWISE_MUL, a, b, between);
      graph.point(CUDNN_POINTWISE_GELU_FWD, between, nullptr, c);
      note(
          graph.execute("cudnn::pointwise 2x16x8x8:float16 2x16x8x8:float16 - - - - "
                        "2x16x8x8:float16 - - steps=2 operations=mul_gelu"));
    }
    Graph graph(machine_, handle_);
    const auto x = graph.tensor(sizes), y = graph.tensor({1, 16, 1, 1}, CUDNN_DATA_FLOAT);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, x, y);
    note(graph.execute("cudnn::reduce_sum 2x16x8x8:float16 1x16x1x1:float32"));
  }

  void normalize() {
    Graph graph(machine_, handle_);
    const auto x = graph.tensor({64, 128, 1, 1}), y = graph.tensor({64, 128, 1, 1});
    const auto scale = graph.tensor({1, 128, 1, 1}, CUDNN_DATA_FLOAT),
               bias = graph.tensor({1, 128, 1, 1}, CUDNN_DATA_FLOAT),
               mean = graph.tensor({64, 1, 1, 1}, CUDNN_DATA_FLOAT),
               deviation = graph.tensor({64, 1, 1, 1}, CUDNN_DATA_FLOAT);
    const auto epsilon = graph.scalar(&epsilon_, 4);
    const auto norm = graph.operation(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
    const cudnnBackendNormMode_t mode = CUDNN_LAYER_NORM;
    const cudnnBackendNormFwdPhase_t phase = CUDNN_NORM_FWD_TRAINING;
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_TYPE_NORM_MODE, &mode);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_TYPE_NORM_FWD_PHASE, &phase);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, x);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, scale);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, bias);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, mean);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, deviation);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, epsilon);
    set(norm, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, y);
    graph.add(norm);
    note(graph.execute(
        "cudnn::layer_norm 64x128x1x1:float16 1x128x1x1:float32 1x128x1x1:float32 - - "
        "64x128x1x1:float16 64x1x1x1:float32 64x1x1x1:float32 - - mode=training"));
  }

  /// softmax(q kT scale) v, as a chain.
  void attend() {
    Graph graph(machine_, handle_);
    const Sizes of_q{2, 4, 64, 32}, of_scores{2, 4, 64, 64}, of_rows{2, 4, 64, 1};
    const auto q = graph.tensor(of_q, CUDNN_DATA_HALF, true), k = graph.turned(of_q),
               v = graph.tensor(of_q, CUDNN_DATA_HALF, true),
               out = graph.tensor(of_q, CUDNN_DATA_HALF, true);
    const auto scale = graph.scalar(&scale_, 4);
    const auto scores = graph.between(of_scores, true), scaled = graph.between(of_scores, true);
    const auto most = graph.between(of_rows, true), below = graph.between(of_scores, true);
    const auto powers = graph.between(of_scores, true), sum = graph.between(of_rows, true);
    const auto shares = graph.between(of_scores, true);
    graph.multiply(q, k, scores);
    graph.point(CUDNN_POINTWISE_MUL, scores, scale, scaled);
    graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scaled, most);
    graph.point(CUDNN_POINTWISE_SUB, scaled, most, below);
    graph.point(CUDNN_POINTWISE_EXP, below, nullptr, powers);
    graph.reduce(CUDNN_REDUCE_TENSOR_ADD, powers, sum);
    graph.point(CUDNN_POINTWISE_DIV, powers, sum, shares);
    graph.multiply(shares, v, out);
    note(graph.execute(
        "cudnn::sdpa 2x4x64x32:float16 2x4x64x32:float16 2x4x64x32:float16 2x4x64x32:float16 - "
        "layout=bhsd recognized=products_around_a_softmax"));
  }

  const Machine& machine_;
  cudnnHandle_t handle_;
  int refused_ = 0;
  float epsilon_ = 1e-5F, scale_ = 0.125F;
};

}  // namespace

int make_backend_calls(const Machine& machine, cudnnHandle_t handle) {
  return Backend(machine, handle).make();
}

}  // namespace cudnn_calls
