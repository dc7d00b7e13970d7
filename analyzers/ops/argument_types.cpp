// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/argument_types.hpp"

#include <algorithm>
#include <iterator>

#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/promotion.hpp"

namespace prof::ops {
namespace {

template <typename Words>
bool is_among(const Words& words, std::string_view wanted) {
  return std::ranges::find(words, wanted) != std::end(words);
}

// Arguments whose type is independent of the kernel's, by their names in aten_signatures.inc.
constexpr std::string_view kIndices[] = {"indices",  "index",           "offsets", "offset2bag",
                                         "bag_size", "maximum_indices", "sorter"};
constexpr std::string_view kFlags[] = {"mask", "condition"};
/// Losses whose targets are classes; those of other losses are values like the predictions.
constexpr std::string_view kClassLosses[] = {"cross_entropy", "nll_loss", "multi_margin_loss",
                                             "multilabel_margin_loss", "ctc_loss"};

bool has_16_bits(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

/// Batch norm on 16-bit floats: cuDNN takes its parameters and statistics as float32, PyTorch's own
/// kernels take either type.
DType type_of_batch_norm(std::string_view launched_by, const Tensor& tensor, DType dtype) {
  if (tensor.shape.size() != 1 || !has_16_bits(dtype)) return dtype;
  return launched_by.find("cudnn") != std::string_view::npos ? DType::kFloat32 : DType::kUnknown;
}

/// The type of an argument to an op that works on `dtype`.
DType type_of(const OpDesc& op, std::string_view launched_by, const Tensor& tensor, DType dtype) {
  if (display_word(op.op) == "batch_norm") return type_of_batch_norm(launched_by, tensor, dtype);
  if (is_among(kIndices, tensor.name)) return DType::kInt64;
  if (is_among(kFlags, tensor.name)) return DType::kBool;
  if (tensor.name == "cum_q" || tensor.name == "cum_k") return DType::kInt32;
  if (tensor.name == "lse") return DType::kFloat32;  // what attention saves of its softmax
  if (tensor.name != "target") return dtype;
  const std::string_view loss = display_word(op.op);
  if (!is_among(kClassLosses, loss)) return dtype;
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

bool forget_converted_types(OpDesc& op, const OpDesc& inner) {
  const auto uses = [&inner](DType dtype) {
    return std::ranges::any_of(inner.tensors,
                               [dtype](const Tensor& tensor) { return tensor.dtype == dtype; });
  };
  const auto states_one = [](const Tensor& tensor) { return is_floating(tensor.dtype); };
  if (std::ranges::none_of(inner.tensors, states_one)) return false;
  bool forgets = false;
  for (Tensor& tensor : op.tensors) {
    if (!is_floating(tensor.dtype) || uses(tensor.dtype)) continue;
    tensor.dtype = DType::kUnknown;
    forgets = true;
  }
  return forgets;
}

bool is_type_of_op(DType dtype, bool is_direct) {
  return dtype != DType::kUnknown && (is_direct || is_floating(dtype));
}

bool fill_types(OpDesc& op, DType dtype, bool is_direct, std::string_view launched_by) {
  // A fill writes elements of the kernel's type, whichever op launched it. Many of the other
  // preparations convert: the kernel's type is that of one side.
  const bool fills = is_fill(op.op);
  if (is_preparation(op.op) && !fills) return false;
  if (!is_type_of_op(dtype, is_direct || fills)) return false;
  bool filled = false;
  for (Tensor& tensor : op.tensors) {
    if (tensor.dtype != DType::kUnknown) continue;
    tensor.dtype = type_of(op, launched_by, tensor, dtype);
    filled = true;
  }
  return filled;
}

bool fill_copied_types(OpDesc& op, DType from, DType to) {
  if (!is_preparation(op.op) || is_fill(op.op)) return false;
  bool filled = false;
  for (Tensor& tensor : op.tensors) {
    if (tensor.dtype != DType::kUnknown) continue;
    // In type_as(x, other), `other` gives the type of the result.
    tensor.dtype = tensor.role == Tensor::Role::kIn && tensor.name != "other" ? from : to;
    filled = filled || tensor.dtype != DType::kUnknown;
  }
  return filled;
}

DType stand_in(std::uint8_t size) {
  // For these sizes, there are integers as well: one type stands in for both (fill_types).
  if (size == 1) return DType::kUint8;
  if (size == 8) return DType::kInt64;
  if (size == 2) return DType::kFloat16;
  if (size == 4) return DType::kFloat32;
  return size == 16 ? DType::kComplex128 : DType::kUnknown;
}

bool drop_stated_numbers(OpDesc& op) {
  const auto is_number = [&op](const Tensor& tensor) {
    return tensor.role == Tensor::Role::kIn && tensor.shape.empty() &&
           tensor.dtype == DType::kUnknown && op.attrs.contains(tensor.name);
  };
  return std::erase_if(op.tensors, is_number) > 0;
}

bool drop_number(OpDesc& op, DType computed) {
  std::vector<const Tensor*> scalars;
  std::size_t inputs = 0;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.role == Tensor::Role::kOut) continue;
    ++inputs;
    if (tensor.role == Tensor::Role::kIn && tensor.shape.empty()) scalars.push_back(&tensor);
  }
  if (scalars.empty() || inputs < 2) return false;
  // The Python number is the scalar whose type is not the computed one; if the types are equal,
  // each costs the same.
  const Tensor* number = scalars.back();
  for (const Tensor* scalar : scalars) {
    if (number->dtype == computed && scalar->dtype != computed) number = scalar;
  }
  op.tensors.erase(op.tensors.begin() + (number - op.tensors.data()));
  return true;
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
