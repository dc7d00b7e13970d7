// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and log softmax over one dimension. With `causal` the last two dimensions are rows and
// columns, and only elements up to the diagonal count; `scale` multiplies first.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// Elements on and below the diagonal of every matrix, or all.
double counted(const OpDesc& op, const Shape& shape) {
  if (!flag(op, "causal") || shape.size() < 2) return elements(shape);
  const auto row_count = static_cast<double>(shape[shape.size() - 2]);
  const auto columns = static_cast<double>(shape.back());
  if (row_count == 0 || columns == 0) return 0;
  const double matrices = elements(shape) / (row_count * columns);
  const double full = row_count < columns ? row_count : columns;  // rows up to the last column
  return matrices * (full * (full + 1) / 2 + (row_count - full) * columns);
}

/// Elements above the diagonal are written as zeros but not read.
Traffic moved(const OpDesc& op) {
  Traffic all = traffic(op);
  if (!flag(op, "causal") || !all.read) return all;
  double read = 0;
  for (const Tensor& tensor : op.tensors) {
    if (!is_input(tensor)) continue;
    const auto size = size_bytes(tensor.dtype);
    if (!size) return {};
    read += counted(op, tensor.shape) * static_cast<double>(*size);
  }
  return {read, all.written};
}

/// PyTorch's inner op may convert halves on the way.
void complete_softmax(OpDesc& op) {
  const Tensor* first = input(op, std::size_t{0});
  if (first == nullptr) return;
  const DType dtype = flag(op, "half_to_float") ? DType::kFloat32 : result_type(op, first->dtype);
  add_output(op, "out", Shape(first->shape), dtype);
}

OpFacts evaluate_softmax(const OpDesc& op) {
  OpFacts facts;
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) return facts;
  double each = op.direction == Direction::kBprop ? 4 : 5;
  if (nonzero(op, "scale")) each += 1;
  facts.params = main_params(op);
  facts.cost = cost(each * counted(op, main->shape), moved(op));
  return facts;
}

}  // namespace

void register_softmax(Registry& registry);
void register_softmax(Registry& registry) {
  registry.add({
      .name = "softmax",
      .formulas =
          {
              {"softmax masked_softmax",
               "5E: max, subtract, exp, add, divide; attr `scale` not 0: + E; attr `causal`: E "
               "counts the elements up to the diagonal alone, T(T+1)/2 of a T×T matrix",
               "4E: (g - Σ g·y)·y, the sum being 2; `scale` and `causal` likewise",
               "in + out; `causal`: of the inputs what counts, of the outputs all (zeros are "
               "written)",
               "exact"},
              {"log_softmax", "5E: max, subtract, exp, add, subtract", "4E: g - exp(y)·Σg",
               "in + out", "exact"},
          },
      .evaluate = evaluate_softmax,
      .complete = complete_softmax,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"softmax","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,128],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[8,128],"dtype":"float16"}]})",
               "T=(8,128)", std::nullopt, 5120, 4096},
              {R"({"v":1,"mod":"prof","op":"softmax","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[2,4,8,8],"dtype":"bfloat16"},
              {"name":"y","role":"out","type":"tensor","shape":[2,4,8,8],"dtype":"bfloat16"}],
              "attrs":{"causal":true,"scale":0.125}})",
               "T=(2,4,8,8)", std::nullopt, 6 * 8 * 36, 2 * (8 * 36 + 512)},
              {R"({"v":1,"mod":"prof","op":"log_softmax","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8,10],"dtype":"float32"},
              {"name":"y","role":"in","type":"tensor","shape":[8,10],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[8,10],"dtype":"float32"}]})",
               "T=(8,10)", std::nullopt, 320, 960},
              {"aten::_softmax, sizes = [[4, 16, 128, 128], [], []]", "T=(4,16,128,128)",
               std::nullopt, 5.0 * 1048576, 4.0 * 1048576, Basis::kExact, DType::kFloat16},
              {"aten::_softmax_backward_data, sizes = [[8, 16], [8, 16], [], []]", "T=(8,16)",
               std::nullopt, 512, 3 * 4 * 128, Basis::kExact, DType::kFloat32},
              {R"({"op":"aten::_softmax","args":[{"shape":[8,16],"dtype":"float16"},{"value":-1},
              {"value":true}]})",
               "T=(8,16)", std::nullopt, 640, (2 + 4) * 128},
              {R"({"op":"aten::_softmax_backward_data","args":[{"shape":[8,16],"dtype":"float32"},
              {"shape":[8,16],"dtype":"float32"},{"value":-1},{"value":5}]})",
               "T=(8,16)", std::nullopt, 512, (4 + 4 + 2) * 128},
          },
  });
}

}  // namespace prof::ops
