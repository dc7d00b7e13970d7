// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/op_signature.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "analyzers/dialects/torch_call.hpp"
#include "libprof/source/json_bounds.hpp"

namespace prof::dialects {
namespace {

using SignatureJson = nlohmann::json;

constexpr std::size_t kMaxSignatureBytes = std::size_t{16} << 20;

ops::AtenValue scalar(const SignatureJson& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
    return value.get<double>();
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  return std::nullopt;
}

/// A list of numbers as op models read it: "2,1". Nothing of a list of anything else.
ops::AtenValue list_of(const SignatureJson& items) {
  std::string list;
  for (const SignatureJson& item : items) {
    if (&item != &items.front()) list += ',';
    if (item.is_boolean()) {
      list += item.get<bool>() ? '1' : '0';
    } else if (item.is_number()) {
      list += item.dump();
    } else {
      return std::nullopt;
    }
  }
  return list;
}

ops::AtenValue value_of(const SignatureJson& arg) {
  const auto value = arg.find("value");
  if (value == arg.end()) return std::nullopt;
  return value->is_array() ? list_of(*value) : scalar(*value);
}

/// Elements in memory of a view that has fewer than its shape: an expanded dimension has a stride
/// of 0, overlapping windows have strides that reach less far than their sizes. Nullopt: it has as
/// many, or its strides are not known.
std::optional<double> distinct_elements(const SignatureJson& arg, const Shape& sizes) {
  const auto strides = arg.find("strides");
  if (strides == arg.end() || !strides->is_array() || strides->size() != sizes.size()) return {};
  double all = 1, steps = 1, reached = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SignatureJson& stride = (*strides)[i];
    if (!stride.is_number_integer() || sizes[i] < 1) return {};
    const auto step = std::abs(stride.get<double>());
    all *= static_cast<double>(sizes[i]);
    if (step > 0) steps *= static_cast<double>(sizes[i]);
    reached += step * static_cast<double>(sizes[i] - 1);
  }
  const double distinct = std::min(steps, reached);
  return distinct < all ? std::optional(distinct) : std::nullopt;
}

/// Reads the arguments; every function returns what is wrong, or null.
class Arguments {
 public:
  explicit Arguments(TorchCall& call) : call_(call) {}

  const char* read(const SignatureJson& args) {
    if (!args.is_array()) return "\"args\" is not an array";
    for (const SignatureJson& arg : args) {
      if (const char* problem = read_one(arg)) return problem;
    }
    return nullptr;
  }

 private:
  const char* read_one(const SignatureJson& arg) {
    if (arg.is_null()) return add({}, DType::kUnknown, {});
    if (!arg.is_object()) return "an argument is not an object";
    const auto list = arg.find("list");
    if (list == arg.end()) return read_single(arg);
    if (!list->is_array()) return "\"list\" is not an array";
    const std::size_t first = call_.sizes.size();
    if (list->empty()) {
      if (const char* problem = add({}, DType::kUnknown, {})) return problem;
    }
    for (const SignatureJson& item : *list) {
      if (const char* problem = read_element(item)) return problem;
    }
    call_.lists[first].list = list->size();
    return nullptr;
  }

  /// An index that selects all of a dimension is null: x[:, i].
  const char* read_element(const SignatureJson& item) {
    if (item.is_null()) {
      const char* const problem = add({}, DType::kUnknown, {});
      if (problem == nullptr) call_.lists.back().is_missing = true;
      return problem;
    }
    if (!item.is_object()) return "an argument is not an object";
    return read_single(item);
  }

  /// A tensor, or a value, which has no shape.
  const char* read_single(const SignatureJson& arg) {
    const auto shape = arg.find("shape");
    if (shape == arg.end()) return add({}, DType::kUnknown, value_of(arg));
    if (!shape->is_array() || shape->size() > kMaxRank) return "\"shape\" is not a shape";
    Shape sizes;
    for (const SignatureJson& size : *shape) {
      if (!size.is_number_integer() || size.get<std::int64_t>() < 0) {
        return "\"shape\" is not a shape";
      }
      sizes.push_back(size.get<std::int64_t>());
    }
    const auto word = arg.find("dtype");
    const std::string* dtype = word == arg.end() ? nullptr : word->get_ptr<const std::string*>();
    const std::optional<double> distinct = distinct_elements(arg, sizes);
    const DType type = dtype == nullptr ? DType::kUnknown : parse_dtype(*dtype);
    const char* const problem = add(std::move(sizes), type, {});
    if (problem == nullptr) call_.distinct.back() = distinct;
    return problem;
  }

  const char* add(Shape shape, DType dtype, ops::AtenValue value) {
    if (call_.sizes.size() >= kMaxArguments) return "an op has more than 65536 arguments";
    call_.sizes.push_back(std::move(shape));
    call_.types.push_back(dtype);
    call_.values.push_back(std::move(value));
    call_.distinct.emplace_back();
    call_.lists.emplace_back();
    return nullptr;
  }

  TorchCall& call_;
};

std::optional<Direction> read_direction(const std::string& word) {
  for (const Direction known : {Direction::kFprop, Direction::kBprop, Direction::kUpdate}) {
    if (name(known) == word) return known;
  }
  return std::nullopt;
}

/// Empty if there is none.
std::string_view text_at(const SignatureJson& root, std::string_view key) {
  const auto found = root.find(key);
  const std::string* text = found == root.end() ? nullptr : found->get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : *text;
}

const char* read(const SignatureJson& root, TorchCall& call) {
  if (!root.is_object()) return "a signature is not a JSON object";
  const auto op = root.find("op");
  const std::string* called = op == root.end() ? nullptr : op->get_ptr<const std::string*>();
  if (called == nullptr || called->empty()) return "\"op\" is not a name";
  call.name = *called;
  if (const auto word = root.find("scope"); word != root.end()) {
    call.is_backward = *word == "backward";
    call.is_op = *word == "function";
  }
  call.layer = text_at(root, "layer");
  call.source_line = text_at(root, "called_at");
  if (const auto word = root.find("dir"); word != root.end()) {
    const std::string* stated = word->get_ptr<const std::string*>();
    const auto direction = stated == nullptr ? std::nullopt : read_direction(*stated);
    if (!direction) return "\"dir\" is not a direction";
    call.direction = *direction;
  }
  if (const auto facts = root.find("facts"); facts != root.end() && facts->is_object()) {
    for (const auto& [key, fact] : facts->items()) {
      auto value = fact.is_array() ? list_of(fact) : scalar(fact);
      if (value) call.facts.emplace(key, *std::move(value));
    }
  }
  const auto args = root.find("args");
  if (args == root.end()) return nullptr;
  call.has_sizes = true;
  return Arguments(call).read(*args);
}

}  // namespace

RangeMeaning read_op_signature(std::string_view signature, bool has_seq) {
  RangeMeaning nothing;
  if (signature.size() > kMaxSignatureBytes) {
    nothing.problem = "a signature is longer than 16 MiB";
    return nothing;
  }
  if (const std::string_view excess = json_excess(signature); !excess.empty()) {
    nothing.problem = "a signature " + std::string(excess);
    return nothing;
  }
  const SignatureJson root = SignatureJson::parse(signature, nullptr, /*allow_exceptions=*/false);
  TorchCall call;
  call.has_seq = has_seq;
  if (const char* problem = read(root, call)) {
    nothing.problem = problem;
    return nothing;
  }
  return torch_meaning(call);
}

}  // namespace prof::dialects
