// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/op_math.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/promotion.hpp"

namespace prof::ops {
namespace {

template <typename Wanted>
const Tensor* find(const OpDesc& op, Wanted wanted) {
  const auto it = std::find_if(op.tensors.begin(), op.tensors.end(), wanted);
  return it == op.tensors.end() ? nullptr : &*it;
}

template <typename Wanted>
const Tensor* nth(const OpDesc& op, std::size_t index, Wanted wanted) {
  return find(op, [&](const Tensor& tensor) { return wanted(tensor) && index-- == 0; });
}

template <typename Wanted>
double sum_elements(const OpDesc& op, Wanted wanted) {
  double total = 0;
  for (const Tensor& tensor : op.tensors) {
    if (wanted(tensor)) total += elements(tensor.shape);
  }
  return total;
}

/// nullopt if there is no such tensor or one of them has an unknown dtype.
template <typename Wanted>
std::optional<double> sum_bytes(const OpDesc& op, Wanted wanted) {
  std::optional<double> total;
  for (const Tensor& tensor : op.tensors) {
    if (!wanted(tensor) || tensor.is_repeated) continue;
    const auto bytes = tensor_bytes(tensor);
    if (!bytes) return std::nullopt;
    total = total.value_or(0) + *bytes;
  }
  return total;
}

template <typename T>
const T* attr(const OpDesc& op, std::string_view key) {
  const auto it = op.attrs.find(key);
  return it == op.attrs.end() ? nullptr : std::get_if<T>(&it->second);
}

}  // namespace

double elements(const Shape& shape) {
  double count = 1;
  for (const std::int64_t size : shape) count *= static_cast<double>(size);
  return count;
}

const Tensor* input(const OpDesc& op, std::string_view name) {
  return find(op, [&](const Tensor& tensor) { return is_input(tensor) && tensor.name == name; });
}

const Tensor* input(const OpDesc& op, std::size_t index) { return nth(op, index, is_input); }

const Tensor* input_or(const OpDesc& op, std::string_view name, std::size_t index) {
  const Tensor* named = input(op, name);
  return named != nullptr ? named : input(op, index);
}

const Tensor* output(const OpDesc& op, std::string_view name) {
  return find(op, [&](const Tensor& tensor) { return is_output(tensor) && tensor.name == name; });
}

const Tensor* output(const OpDesc& op, std::size_t index) { return nth(op, index, is_output); }

std::size_t input_count(const OpDesc& op) {
  return static_cast<std::size_t>(std::count_if(op.tensors.begin(), op.tensors.end(), is_input));
}

double input_elements(const OpDesc& op) { return sum_elements(op, is_input); }

double output_elements(const OpDesc& op) { return sum_elements(op, is_output); }

double work_elements(const OpDesc& op) {
  if (output(op, std::size_t{0}) != nullptr) return output_elements(op);
  double most = 0;
  for (const Tensor& tensor : op.tensors) most = std::max(most, elements(tensor.shape));
  return most;
}

std::optional<double> tensor_bytes(const Tensor& tensor) {
  const auto size = size_bytes(tensor.dtype);
  if (!size || !tensor.distinct || tensor.role != Tensor::Role::kIn) return whole_bytes(tensor);
  return *tensor.distinct * static_cast<double>(*size);
}

std::optional<double> whole_bytes(const Tensor& like) {
  const auto size = size_bytes(like.dtype);
  if (!size) return std::nullopt;
  return elements(like.shape) * static_cast<double>(*size);
}

std::optional<double> input_bytes(const OpDesc& op) { return sum_bytes(op, is_input); }

std::optional<double> output_bytes(const OpDesc& op) { return sum_bytes(op, is_output); }

Traffic traffic(const OpDesc& op) { return {input_bytes(op), output_bytes(op)}; }

std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a + *b;
}

DType main_dtype(const OpDesc& op) {
  const Tensor* tensor = find(op, [](const Tensor& candidate) {
    return is_input(candidate) && is_floating(candidate.dtype);
  });
  if (tensor != nullptr) return tensor->dtype;
  return op.tensors.empty() ? DType::kUnknown : op.tensors.front().dtype;
}

DType common_dtype(const OpDesc& op) {
  DType common = DType::kUnknown;
  for (const Tensor& tensor : op.tensors) {
    if (!is_input(tensor) || !is_floating(tensor.dtype)) continue;
    if (common != DType::kUnknown && common != tensor.dtype) return DType::kUnknown;
    common = tensor.dtype;
  }
  return common;
}

std::string_view model_word(const OpDesc& op) { return display_word(op.op); }

bool has_shapes_only(const OpDesc& op) { return op.op.starts_with("aten::"); }

bool has_attr(const OpDesc& op, std::string_view key) {
  return op.attrs.find(key) != op.attrs.end();
}

bool flag(const OpDesc& op, std::string_view key) {
  const bool* value = attr<bool>(op, key);
  return value != nullptr && *value;
}

std::string_view word(const OpDesc& op, std::string_view key) {
  const std::string* value = attr<std::string>(op, key);
  return value == nullptr ? std::string_view{} : std::string_view{*value};
}

bool nonzero(const OpDesc& op, std::string_view key) {
  if (flag(op, key)) return true;
  if (const auto* whole = attr<std::int64_t>(op, key)) return *whole != 0;
  const double* real = attr<double>(op, key);
  return real != nullptr && (*real < 0 || *real > 0);
}

std::optional<double> number(const OpDesc& op, std::string_view key) {
  if (const auto* whole = attr<std::int64_t>(op, key)) return static_cast<double>(*whole);
  if (const auto* real = attr<double>(op, key)) return *real;
  return std::nullopt;
}

std::optional<Shape> sizes(const OpDesc& op, std::string_view key, std::size_t rank) {
  if (const auto* whole = attr<std::int64_t>(op, key)) return Shape(rank, *whole);
  std::string_view rest = word(op, key);
  Shape result;
  while (!rest.empty() && result.size() < rank) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.empty() && rest.front() != ',') return std::nullopt;
    if (!rest.empty()) rest.remove_prefix(1);
    result.push_back(value);
  }
  if (result.size() == 1) result.resize(rank, result.front());
  if (!rest.empty() || result.size() != rank) return std::nullopt;
  return result;
}

std::optional<Shape> number_list(const OpDesc& op, std::string_view key) {
  if (!has_attr(op, key)) return std::nullopt;
  const std::string* const list = attr<std::string>(op, key);
  if (list != nullptr && list->empty()) return Shape{};
  const auto commas = list == nullptr ? 0 : std::ranges::count(*list, ',');
  return sizes(op, key, static_cast<std::size_t>(commas) + 1);
}

std::optional<std::vector<std::size_t>> dimensions_of(const OpDesc& op, std::size_t rank) {
  const auto dims = number_list(op, "dim");
  if (!dims) return std::nullopt;
  std::vector<bool> chosen(rank, dims->empty());
  for (const std::int64_t dim : *dims) {
    const auto size = static_cast<std::int64_t>(rank);
    if (rank == 0 && (dim == 0 || dim == -1)) continue;  // torch treats a scalar as a vector
    if (dim < -size || dim >= size) return std::nullopt;
    chosen[static_cast<std::size_t>(dim < 0 ? dim + size : dim)] = true;
  }
  std::vector<std::size_t> found;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (chosen[dim]) found.push_back(dim);
  }
  return found;
}

DType result_type(const OpDesc& op, DType otherwise) {
  const std::string_view stated = word(op, "dtype");
  return stated.empty() ? otherwise : parse_dtype(stated);
}

void add_output(OpDesc& op, std::string name, Shape shape, DType dtype) {
  op.tensors.push_back({std::move(name), Tensor::Role::kOut, dtype, std::move(shape)});
}

void complete_like_first(OpDesc& op) {
  const Tensor* first = input(op, std::size_t{0});
  if (first != nullptr) add_output(op, "out", Shape(first->shape), result_type(op, first->dtype));
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() < b.size() ? b : a;
  const Shape& shorter = a.size() < b.size() ? a : b;
  Shape result = longer;
  for (std::size_t i = 0; i < shorter.size(); ++i) {  // counted from the last dimension
    std::int64_t& size = result[result.size() - 1 - i];
    const std::int64_t other = shorter[shorter.size() - 1 - i];
    if (size == other || other == 1) continue;
    if (size != 1) return std::nullopt;
    size = other;
  }
  return result;
}

void complete_broadcast(OpDesc& op) {
  if (input_count(op) == 0) return;
  std::optional<Shape> shape = Shape{};
  for (const Tensor& tensor : op.tensors) {
    if (shape && is_input(tensor)) shape = broadcast(*shape, tensor.shape);
  }
  const DType dtype = promoted_inputs(op);
  if (shape) add_output(op, "out", std::move(*shape), dtype);
}

std::optional<std::int64_t> product(const Shape& shape, std::size_t from, std::size_t to) {
  std::int64_t total = 1;
  for (std::size_t i = from; i < to; ++i) {
    if (__builtin_mul_overflow(total, shape[i], &total)) return std::nullopt;
  }
  return total;
}

std::optional<std::int64_t> rows(const Shape& shape) {
  if (shape.empty()) return std::nullopt;
  return product(shape, 0, shape.size() - 1);
}

std::string text(const Shape& shape) {
  std::string result = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) result += ',';
    result += std::to_string(shape[i]);
  }
  return result += ')';
}

std::string shape_params(const std::vector<const Tensor*>& tensors) {
  if (tensors.empty()) return {};
  if (tensors.size() == 1) return "T=" + text(tensors.front()->shape);
  std::string result = "T=[";
  for (const Tensor* tensor : tensors) {
    if (result.back() != '[') result += ',';
    result += text(tensor->shape);
  }
  return result += ']';
}

std::string input_params(const OpDesc& op) {
  const bool has_inputs = input_count(op) > 0;
  std::vector<const Tensor*> shown;
  for (const Tensor& tensor : op.tensors) {
    if (!has_inputs || is_input(tensor)) shown.push_back(&tensor);
  }
  return shape_params(shown);
}

std::string main_params(const OpDesc& op) {
  const Tensor* main = input(op, std::size_t{0});
  if (main == nullptr) main = output(op, std::size_t{0});
  return main == nullptr ? std::string{} : shape_params({main});
}

std::string gemm_params(const GemmShape& gemm, bool batched) {
  std::string result = batched ? "B=" + std::to_string(gemm.batch) + "," : std::string{};
  result += "M=" + std::to_string(gemm.m) + ",N=" + std::to_string(gemm.n);
  if (gemm.k) result += ",K=" + std::to_string(*gemm.k);
  return result;
}

bool is_complex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }

double gemm_flops(const GemmShape& gemm, DType dtype) {
  return (is_complex(dtype) ? 8.0 : 2.0) * static_cast<double>(gemm.m) *
         static_cast<double>(gemm.n) * static_cast<double>(gemm.k.value_or(0)) *
         static_cast<double>(gemm.batch);
}

OpCost cost(std::optional<double> flops, const Traffic& moved, Basis basis) {
  OpCost result;
  result.flops = flops;
  result.bytes = sum(moved.read, moved.written);
  result.basis = basis;
  result.read = moved.read;
  result.written = moved.written;
  return result;
}

}  // namespace prof::ops
