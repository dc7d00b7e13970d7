// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks of op models: finding operands, counting elements and bytes, printing shapes.
// Sizes are doubles, exact up to 2^53, so that no shape in a text can overflow.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/ops/op_model.hpp"

namespace prof::ops {

inline bool is_input(const Tensor& tensor) { return tensor.role != Tensor::Role::kOut; }
inline bool is_output(const Tensor& tensor) { return tensor.role != Tensor::Role::kIn; }
/// The op computes gradients.
inline bool is_backward(const OpDesc& op) { return op.direction == Direction::kBprop; }

double elements(const Shape& shape);

/// The input with that name, or null.
const Tensor* input(const OpDesc& op, std::string_view name);
/// The `index`th input, or null.
const Tensor* input(const OpDesc& op, std::size_t index);
/// The input with that name, otherwise the `index`th one.
const Tensor* input_or(const OpDesc& op, std::string_view name, std::size_t index);
const Tensor* output(const OpDesc& op, std::string_view name);
const Tensor* output(const OpDesc& op, std::size_t index);
std::size_t input_count(const OpDesc& op);

/// Sum of elements; 0 if there are none.
double input_elements(const OpDesc& op);
double output_elements(const OpDesc& op);
/// Elements that an elementwise op works on: those of its outputs, or of its largest input if it
/// names none.
double work_elements(const OpDesc& op);

/// Number of elements times element size; nullopt for an unknown dtype. For a view that is read,
/// only the elements that are in memory count.
std::optional<double> tensor_bytes(const Tensor& tensor);
/// Bytes of a result of that shape, which has all of its elements.
std::optional<double> whole_bytes(const Tensor& like);
std::optional<double> input_bytes(const OpDesc& op);
std::optional<double> output_bytes(const OpDesc& op);
/// The bytes an op moves; a part is absent if a dtype is unknown or that side has no tensor.
struct Traffic {
  std::optional<double> read = {}, written = {};
};
/// Traffic of all inputs and outputs.
Traffic traffic(const OpDesc& op);
std::optional<double> sum(std::optional<double> a, std::optional<double> b);

/// The first floating-point input's dtype, else the first tensor's.
DType main_dtype(const OpDesc& op);

/// The dtype of all floating-point inputs; kUnknown if they differ or none is known.
DType common_dtype(const OpDesc& op);

/// The op's word as models list it: the user-visible name of its forward op.
std::string_view model_word(const OpDesc& op);
/// The op is PyTorch's inner one: of its arguments that are no tensors, only those that the source
/// states are attributes, so a missing attribute means nothing.
bool has_shapes_only(const OpDesc& op);

/// The op has that attribute.
bool has_attr(const OpDesc& op, std::string_view key);
/// Attributes; the default if the key is missing or has another type.
bool flag(const OpDesc& op, std::string_view key);
std::string_view word(const OpDesc& op, std::string_view key);
/// True for non-zero numbers and for true.
bool nonzero(const OpDesc& op, std::string_view key);
/// Nullopt if the key is missing or not a number.
std::optional<double> number(const OpDesc& op, std::string_view key);
/// "3" or 3 for all `rank` dimensions, or one number per dimension: "3,3". Nullopt otherwise.
std::optional<Shape> sizes(const OpDesc& op, std::string_view key, std::size_t rank);

/// A list of any length; nullopt if it is missing or no list of whole numbers.
std::optional<Shape> number_list(const OpDesc& op, std::string_view key);
/// The dimensions in attr `dim`, which has one or several, negative ones counted from the last:
/// those of a tensor of that rank, in ascending order; an empty list means all. Nullopt if it is
/// missing or names others.
std::optional<std::vector<std::size_t>> dimensions_of(const OpDesc& op, std::size_t rank);
/// The type of the result: attr `dtype`, or `otherwise`.
DType result_type(const OpDesc& op, DType otherwise);

/// Appends an output; the building block of OpModel::complete.
void add_output(OpDesc& op, std::string name, Shape shape, DType dtype);
/// One output like the first input, of the type that attr `dtype` states: OpModel::complete for
/// most ops.
void complete_like_first(OpDesc& op);
/// One output of the inputs' broadcast shape and promoted dtype.
void complete_broadcast(OpDesc& op);
/// Nullopt if the shapes do not broadcast.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

/// Product of all dimensions but the last; nullopt if there are none or on overflow.
std::optional<std::int64_t> rows(const Shape& shape);
/// Product of the dimensions [from, to); nullopt on overflow.
std::optional<std::int64_t> product(const Shape& shape, std::size_t from, std::size_t to);

/// "(32768,13)"
std::string text(const Shape& shape);
/// "T=(32768,13)"; "T=[(...),(...)]" for several; "" for none.
std::string shape_params(const std::vector<const Tensor*>& tensors);
/// All inputs; the outputs if there are none.
std::string input_params(const OpDesc& op);
/// The first input; the first output if there is none.
std::string main_params(const OpDesc& op);
std::string gemm_params(const GemmShape& gemm, bool batched);

/// FLOPs of a matrix product with such elements; a complex multiply-add is 8.
double gemm_flops(const GemmShape& gemm, DType dtype = DType::kUnknown);
bool is_complex(DType dtype);

OpCost cost(std::optional<double> flops, const Traffic& moved, Basis basis = Basis::kExact);

}  // namespace prof::ops
