// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What op models are made of: finding operands, counting elements and bytes, printing shapes. Sizes
// are doubles, exact up to 2^53, so that no shape that a text can hold overflows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/ops/op_model.hpp"

namespace prof::ops {

inline bool is_input(const Tensor& tensor) { return tensor.role != Tensor::Role::kOut; }
inline bool is_output(const Tensor& tensor) { return tensor.role != Tensor::Role::kIn; }

double elements(const Shape& shape);

/// Input with that name, or null.
const Tensor* input(const OpDesc& op, std::string_view name);
/// The `index`th input, or null.
const Tensor* input(const OpDesc& op, std::size_t index);
/// Input with that name, else the `index`th one.
const Tensor* input_or(const OpDesc& op, std::string_view name, std::size_t index);
const Tensor* output(const OpDesc& op, std::string_view name);
const Tensor* output(const OpDesc& op, std::size_t index);
std::size_t input_count(const OpDesc& op);

/// Sum of elements; 0 where there are none.
double input_elements(const OpDesc& op);
double output_elements(const OpDesc& op);
/// Elements that an elementwise op works on: its outputs', or its largest input's if it names none.
double work_elements(const OpDesc& op);

/// Elements times size; nullopt for an unknown dtype.
std::optional<double> tensor_bytes(const Tensor& tensor);
std::optional<double> input_bytes(const OpDesc& op);
std::optional<double> output_bytes(const OpDesc& op);
/// Inputs and outputs; nullopt if a dtype is unknown or one side has no tensor.
std::optional<double> moved_bytes(const OpDesc& op);
std::optional<double> sum(std::optional<double> a, std::optional<double> b);

/// The first floating-point input's dtype, else the first tensor's.
DType main_dtype(const OpDesc& op);

/// Attributes; the default where the key is missing or has another type.
bool flag(const OpDesc& op, std::string_view key);
std::string_view word(const OpDesc& op, std::string_view key);
/// True for a number other than 0 and for true.
bool nonzero(const OpDesc& op, std::string_view key);

/// Product of all dimensions but the last; nullopt if there is none or it does not fit.
std::optional<std::int64_t> rows(const Shape& shape);
/// Product of the dimensions [from, to); nullopt if it does not fit.
std::optional<std::int64_t> product(const Shape& shape, std::size_t from, std::size_t to);

/// "(32768,13)"
std::string text(const Shape& shape);
/// "T=(32768,13)", of several "T=[(...),(...)]", of none "".
std::string shape_params(const std::vector<const Tensor*>& tensors);
/// All inputs; the outputs where there are none.
std::string input_params(const OpDesc& op);
/// The first input; the first output where there is none.
std::string main_params(const OpDesc& op);
std::string gemm_params(const GemmShape& gemm, bool batched);

/// FLOPs of a matrix product.
double gemm_flops(const GemmShape& gemm);

/// 0 FLOPs and these bytes.
OpCost movement(std::optional<double> bytes, Basis basis = Basis::kExact);

}  // namespace prof::ops
