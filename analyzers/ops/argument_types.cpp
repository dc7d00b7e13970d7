// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/argument_types.hpp"

#include <algorithm>
#include <iterator>

#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/aten_signatures.hpp"

namespace prof::ops {
namespace {

template <typename Words>
bool holds(const Words& words, std::string_view wanted) {
  return std::ranges::find(words, wanted) != std::end(words);
}

// Arguments whose type is independent of the kernel's, by their names in aten_signatures.inc.
constexpr std::string_view kIndices[] = {"indices",  "index",           "offsets", "offset2bag",
                                         "bag_size", "maximum_indices", "sorter"};
constexpr std::string_view kFlags[] = {"mask", "condition"};
/// Losses whose targets are classes; those of other losses are values like the predictions.
constexpr std::string_view kClassLosses[] = {"cross_entropy", "nll_loss", "multi_margin_loss",
                                             "multilabel_margin_loss", "ctc_loss"};

bool is_floating(DType dtype) { return dtype >= DType::kFloat8E4M3 && dtype <= DType::kComplex128; }

/// An operand without dimensions of a kernel that has a number of the program. Beside another such
/// operand nobody can say which of them is the number, unless both have its size.
DType type_of_number(const OpDesc& op, DType dtype) {
  const auto has_dimensions = [](const Tensor& tensor) { return !tensor.shape.empty(); };
  const DType of_numbers = is_floating(dtype) ? DType::kFloat64 : DType::kInt64;
  if (op.tensors.size() == 1 || dtype == of_numbers) return dtype;
  return std::ranges::any_of(op.tensors, has_dimensions) ? of_numbers : DType::kUnknown;
}

bool has_16_bits(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

/// Batch norm on 16-bit floats: cuDNN takes its parameters and statistics as float32, PyTorch's own
/// kernels take either type.
DType type_of_batch_norm(const OpDesc& op, const Tensor& tensor, DType dtype) {
  if (tensor.shape.size() != 1 || !has_16_bits(dtype)) return dtype;
  return op.op.find("cudnn") != std::string::npos ? DType::kFloat32 : DType::kUnknown;
}

/// The type of an argument to an op that works on `dtype`.
DType type_of(const OpDesc& op, const Tensor& tensor, DType dtype) {
  if (display_word(op.op) == "batch_norm") return type_of_batch_norm(op, tensor, dtype);
  if (holds(kIndices, tensor.name)) return DType::kInt64;
  if (holds(kFlags, tensor.name)) return DType::kBool;
  if (tensor.name != "target") return dtype;
  const std::string_view loss = display_word(op.op);
  if (!holds(kClassLosses, loss)) return dtype;
  // Cross entropy also accepts a probability for each class.
  const auto is_prediction = [&](const Tensor& other) {
    return other.name == "x" && other.shape == tensor.shape;
  };
  const bool probabilities =
      loss == "cross_entropy" && std::ranges::any_of(op.tensors, is_prediction);
  return probabilities ? dtype : DType::kInt64;
}

}  // namespace

bool counts_by_type(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128 || dtype == DType::kFloat4E2M1;
}

void forget_converted_types(OpDesc& op, const OpDesc& inner) {
  const auto uses = [&inner](DType dtype) {
    return std::ranges::any_of(inner.tensors,
                               [dtype](const Tensor& tensor) { return tensor.dtype == dtype; });
  };
  const auto states_one = [](const Tensor& tensor) { return is_floating(tensor.dtype); };
  if (std::ranges::none_of(inner.tensors, states_one)) return;
  for (Tensor& tensor : op.tensors) {
    if (is_floating(tensor.dtype) && !uses(tensor.dtype)) tensor.dtype = DType::kUnknown;
  }
}

bool is_type_of_op(DType dtype, bool is_direct) {
  return dtype != DType::kUnknown && (is_direct || is_floating(dtype));
}

bool fill_types(OpDesc& op, DType dtype, bool is_direct, bool has_number) {
  // A fill writes elements of the kernel's type, whichever op launched it. Of the other
  // preparations, many convert: the kernel's type is that of one side.
  const bool fills = is_fill(op.op);
  if (is_preparation(op.op) && !fills) return false;
  if (!is_type_of_op(dtype, is_direct || fills)) return false;
  bool filled = false;
  for (Tensor& tensor : op.tensors) {
    if (tensor.dtype != DType::kUnknown) continue;
    const bool may_be_number = has_number && tensor.shape.empty();
    tensor.dtype = may_be_number ? type_of_number(op, dtype) : type_of(op, tensor, dtype);
    filled = true;
  }
  return filled;
}

std::uint32_t input_types(const std::vector<Tensor>& tensors) {
  std::uint32_t types = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Tensor::Role::kOut) continue;
    if (tensor.dtype == DType::kUnknown) return 0;
    types |= 1U << static_cast<unsigned>(tensor.dtype);
  }
  return types;
}

}  // namespace prof::ops
