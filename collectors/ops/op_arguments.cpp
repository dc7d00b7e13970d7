// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/ops/op_arguments.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace prof::collectors {
namespace {

// Members keep their order, so that equal arguments have equal texts.
using Json = nlohmann::ordered_json;

/// Encoding of the strides behind the sizes. Most tensors are contiguous, whose strides follow from
/// the sizes.
enum Strides : std::uint8_t { kStridesUnknown, kStridesGiven, kContiguous };

/// Calls take(dimension, stride) for each dimension of a contiguous tensor, the last one first.
template <typename Size, typename Take>
void each_contiguous_stride(std::uint32_t dimensions, Size size_of, Take take) {
  std::int64_t stride = 1;
  for (std::uint32_t i = dimensions; i-- > 0;) {
    take(i, stride);
    stride *= std::max<std::int64_t>(1, size_of(i));
  }
}

bool is_contiguous(const std::int64_t* sizes, const std::int64_t* strides,
                   std::uint32_t dimensions) {
  bool is_equal = true;
  each_contiguous_stride(
      dimensions, [&](std::uint32_t i) { return sizes[i]; },
      [&](std::uint32_t i, std::int64_t stride) { is_equal = is_equal && strides[i] == stride; });
  return is_equal;
}

/// Limit for the elements of a list and the dimensions of a tensor; larger numbers mean damaged
/// data.
constexpr std::uint32_t kMaxElements = 1U << 16;
constexpr int kMaxDepth = 8;

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool is_done() const { return bytes_.empty(); }

  /// Adds a fact that is no argument to `signature`. False: the data is damaged.
  bool read_into(Json& signature, Json& arguments) {
    const auto kind = take<ArgumentKind>();
    if (kind == ArgumentKind::kSource || kind == ArgumentKind::kFact) {
      const auto name = words();
      if (!name) return false;
      if (kind == ArgumentKind::kSource) {
        signature["source"] = *name;
        return true;
      }
      const auto value = argument();
      if (!value || !value->is_object() || !value->contains("value")) return false;
      signature["facts"][*name] = (*value)["value"];
      return true;
    }
    auto read = argument_of(kind);
    if (!read) return false;
    arguments.push_back(*std::move(read));
    return true;
  }

 private:
  /// Reads an argument. Absent: damaged.
  std::optional<Json> argument(int depth = 0) { return argument_of(take<ArgumentKind>(), depth); }

  std::optional<Json> argument_of(std::optional<ArgumentKind> kind, int depth = 0) {
    if (!kind) return std::nullopt;
    switch (*kind) {
      case ArgumentKind::kUnknown:
      case ArgumentKind::kNone:
        return Json(nullptr);
      case ArgumentKind::kTensor:
        return tensor();
      case ArgumentKind::kList:
        return depth < kMaxDepth ? list(depth + 1) : std::nullopt;
      default:
        break;
    }
    auto value = scalar(*kind);
    if (!value) return std::nullopt;
    return Json{{"value", *std::move(value)}};
  }

  template <typename Value>
  std::optional<Value> take() {
    if (bytes_.size() < sizeof(Value)) return std::nullopt;
    Value value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }

  template <typename Value>
  std::optional<Json> number() {
    const auto value = take<Value>();
    return value ? std::optional<Json>(*value) : std::nullopt;
  }

  std::optional<Json> scalar(ArgumentKind kind) {
    switch (kind) {
      case ArgumentKind::kInt:
        return number<std::int64_t>();
      case ArgumentKind::kDouble:
        return number<double>();
      case ArgumentKind::kBool: {
        const auto value = take<std::uint8_t>();
        return value ? std::optional<Json>(*value != 0) : std::nullopt;
      }
      case ArgumentKind::kText: {
        const auto text = words();
        return text ? std::optional<Json>(*text) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> words() {
    const auto count = take<std::uint8_t>();
    if (!count || bytes_.size() < *count) return std::nullopt;
    std::string text(reinterpret_cast<const char*>(bytes_.data()), *count);
    bytes_ = bytes_.subspan(*count);
    return text;
  }

  std::optional<Json> numbers(std::uint32_t count) {
    Json found = Json::array();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto value = take<std::int64_t>();
      if (!value) return std::nullopt;
      found.push_back(*value);
    }
    return found;
  }

  std::optional<Json> tensor() {
    const auto dtype = take<std::uint8_t>();
    const auto strides = take<std::uint8_t>();
    const auto dimensions = take<std::uint32_t>();
    if (!dimensions || *dimensions > kMaxElements) return std::nullopt;
    auto sizes = numbers(*dimensions);
    if (!sizes) return std::nullopt;
    Json found{{"shape", *sizes}};
    if (*dtype < std::size(kDtypeNames)) found["dtype"] = kDtypeNames[*dtype];
    if (*strides == kStridesGiven) {
      auto given = numbers(*dimensions);
      if (!given) return std::nullopt;
      found["strides"] = *std::move(given);
    } else if (*strides == kContiguous) {
      std::vector<std::int64_t> computed(*dimensions);
      each_contiguous_stride(
          *dimensions, [&](std::uint32_t i) { return (*sizes)[i].get<std::int64_t>(); },
          [&](std::uint32_t i, std::int64_t stride) { computed[i] = stride; });
      found["strides"] = computed;
    }
    return found;
  }

  /// Reads a list of tensors, or of scalars, which are one value.
  std::optional<Json> list(int depth) {
    const auto count = take<std::uint32_t>();
    if (!count || *count > kMaxElements) return std::nullopt;
    std::vector<Json> elements;
    for (std::uint32_t i = 0; i < *count; ++i) {
      auto element = argument(depth);
      if (!element) return std::nullopt;
      elements.push_back(*std::move(element));
    }
    const bool are_values = !elements.empty() && std::ranges::all_of(elements, [](const Json& one) {
      return one.is_object() && one.contains("value");
    });
    Json found = Json::array();
    for (Json& element : elements) {
      found.push_back(are_values ? std::move(element["value"]) : std::move(element));
    }
    return Json{{are_values ? "value" : "list", std::move(found)}};
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

void ArgumentWriter::tensor(std::uint8_t dtype, const std::int64_t* sizes,
                            const std::int64_t* strides, std::uint32_t dimensions) {
  const std::uint8_t follows = strides == nullptr                          ? kStridesUnknown
                               : is_contiguous(sizes, strides, dimensions) ? kContiguous
                                                                           : kStridesGiven;
  const std::size_t each = dimensions * sizeof(std::int64_t);
  const std::size_t bytes = 3 + sizeof dimensions + (follows == kStridesGiven ? 2 : 1) * each;
  if (!has_room(bytes)) return;
  put_kind(ArgumentKind::kTensor);
  put(&dtype, sizeof dtype);
  put(&follows, sizeof follows);
  put(&dimensions, sizeof dimensions);
  put(sizes, each);
  if (follows == kStridesGiven) put(strides, each);
}

std::string signature_of(std::string_view name, bool is_backward,
                         std::span<const std::byte> bytes) {
  Json signature{{"source", "torch"}, {"op", name}};
  if (is_backward) signature["scope"] = "backward";
  Json arguments = Json::array();
  for (Reader reader(bytes); !reader.is_done();) {
    if (!reader.read_into(signature, arguments)) break;
  }
  if (!arguments.empty()) signature["args"] = std::move(arguments);
  return signature.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace prof::collectors
