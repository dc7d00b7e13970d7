// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/graph_fragment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "analyzers/compiled/argument_list.hpp"
#include "analyzers/ops/aten_signatures.hpp"

namespace prof::compiled {
namespace {

// A node that has more is damaged.
constexpr std::size_t kMaxArguments = 65'536;

/// torch/utils/_dtype_abbrs.py
struct Abbreviation {
  std::string_view word;
  DType dtype;
};
constexpr std::array kAbbreviations = {
    Abbreviation{"f64", DType::kFloat64},
    Abbreviation{"f32", DType::kFloat32},
    Abbreviation{"f16", DType::kFloat16},
    Abbreviation{"bf16", DType::kBFloat16},
    Abbreviation{"f8e4m3fn", DType::kFloat8E4M3},
    Abbreviation{"f8e5m2", DType::kFloat8E5M2},
    Abbreviation{"i64", DType::kInt64},
    Abbreviation{"i32", DType::kInt32},
    Abbreviation{"i16", DType::kInt16},
    Abbreviation{"i8", DType::kInt8},
    Abbreviation{"u8", DType::kUint8},
    Abbreviation{"b8", DType::kBool},
    Abbreviation{"c64", DType::kComplex64},
    Abbreviation{"c128", DType::kComplex128},
    Abbreviation{"f8e4m3fnuz", DType::kFloat8E4M3Fnuz},
    Abbreviation{"f8e5m2fnuz", DType::kFloat8E5M2Fnuz},
    Abbreviation{"f8e8m0fnu", DType::kFloat8E8M0},
};

/// Inductor's names for what ATen has under another one.
struct OtherName {
  std::string_view theirs, ours;
};
constexpr std::array kOtherNames = {
    OtherName{"prims.convert_element_type", "aten::_to_copy"},
    OtherName{"prims.device_put", "aten::_to_copy"},
    OtherName{"prims.inductor_random", "aten::rand"},
    OtherName{"prims.inductor_randint", "aten::randint"},
    OtherName{"prims.inductor_seeds", "aten::randint"},
    OtherName{"prims.iota", "aten::arange"},
    OtherName{"higher_order.flex_attention", "aten::flex_attention"},
    OtherName{"higher_order.flex_attention_backward", "aten::flex_attention_backward"},
};

/// The text between the first `open` and the `close` that ends it.
std::optional<std::string_view> inside(std::string_view text, std::string_view open, char close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin + open.size());
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (depth == 0 && c == close) {
      return text.substr(0, i);
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

/// "%name : Tensor "TYPE"[num_users=1] = call_function[target=TARGET](args = (ARGS), kwargs = {})"
std::optional<FragmentNode> read_node(std::string_view line, const Symbols& symbols) {
  const std::size_t colon = line.find(" : ");
  if (!line.starts_with('%') || colon == std::string_view::npos) return std::nullopt;
  FragmentNode node;
  node.name = line.substr(1, colon - 1);
  line.remove_prefix(colon + 3);
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return std::nullopt;
  if (const auto type = inside(line.substr(0, equals), "\"", '"')) {
    node.type = read_tensor_type(*type, symbols);
    node.is_typed = true;
  }
  line.remove_prefix(equals + 3);
  if (line.starts_with("PlaceHolder")) return node;
  const auto target = inside(line, "[target=", ']');
  if (!target) return std::nullopt;
  node.target = *target;
  constexpr std::string_view kOps = "torch.ops.";
  if (node.target.starts_with(kOps)) node.target.remove_prefix(kOps.size());
  node.args = inside(line, "(args = (", ')').value_or(std::string_view());
  return node;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// An argument that is no tensor.
ops::AtenValue value_of(std::string_view text) {
  if (text == "True" || text == "False") return AttrValue(text == "True");
  if (const auto value = whole(text)) return AttrValue(*value);
  if (const auto value = number(text)) return AttrValue(*value);
  if (text.size() < 2 || (text.front() != '[' && text.front() != '(')) return std::nullopt;
  std::string list;
  for (const std::string_view one : split_arguments(text.substr(1, text.size() - 2))) {
    const std::string_view item = one == "True" ? "1" : one == "False" ? "0" : one;
    if (!number(item)) return std::nullopt;
    if (!list.empty()) list += ',';
    list += item;
  }
  return AttrValue(list);
}

/// The arguments of a call as sources of op facts state them (aten_tensors()).
struct Arguments {
  const GraphFragment& fragment;
  std::vector<Shape> sizes = {};
  std::vector<DType> types = {};
  std::vector<ops::AtenValue> values = {};
  ops::AtenLists lists = {};

  void add(std::string_view arg) {
    if (!is_list_of_nodes(arg)) return add_single(arg);
    const std::size_t first = sizes.size();
    for (const std::string_view one : split_arguments(arg.substr(1, arg.size() - 2))) {
      add_single(one);
      if (sizes.size() >= kMaxArguments) return;
    }
    if (sizes.size() > first) lists[first].list = sizes.size() - first;
  }

  [[nodiscard]] bool is_tensor(std::string_view arg) const {
    const FragmentNode* const node = arg.starts_with('%') ? fragment.find(arg.substr(1)) : nullptr;
    return node != nullptr && node->type.has_value();
  }

 private:
  static bool is_list_of_nodes(std::string_view arg) {
    return arg.size() > 2 && arg.front() == '[' && arg.find('%') != std::string_view::npos;
  }

  void add_single(std::string_view arg) {
    sizes.emplace_back();
    types.push_back(DType::kUnknown);
    values.emplace_back();
    lists.emplace_back();
    if (!arg.starts_with('%')) {
      values.back() = value_of(arg);
      return;
    }
    const FragmentNode* const node = fragment.find(arg.substr(1));
    if (node == nullptr || !node->type) return;
    sizes.back() = node->type->shape;
    types.back() = node->type->dtype;
  }
};

}  // namespace

std::optional<TensorType> read_tensor_type(std::string_view text, const Symbols& symbols) {
  const std::size_t bracket = text.find('[');
  const auto* const known =
      std::ranges::find(kAbbreviations, text.substr(0, bracket), &Abbreviation::word);
  const auto sizes = inside(text, "[", ']');
  if (known == kAbbreviations.end() || !sizes) return std::nullopt;
  auto shape = read_sizes(*sizes, symbols);
  if (!shape) return std::nullopt;
  return TensorType{known->dtype, *std::move(shape)};
}

void GraphFragment::add(FragmentNode node) {
  (node.target.empty() ? read_ : computed_).emplace(node.name, nodes_.size());
  nodes_.push_back(std::move(node));
}

const FragmentNode* GraphFragment::find(std::string_view name) const {
  auto found = computed_.find(name);
  if (found == computed_.end()) {
    found = read_.find(name);
    if (found == read_.end()) return nullptr;
  }
  return &nodes_[found->second];
}

GraphFragment read_fragment(std::span<const std::string_view> lines, const Symbols& symbols) {
  GraphFragment fragment;
  for (std::string_view line : lines) {
    line = trimmed(line);
    constexpr std::string_view kReturn = "return ";
    if (line.starts_with(kReturn)) {
      for (std::string_view name : split_arguments(line.substr(kReturn.size()))) {
        if (name.starts_with('%')) fragment.written.push_back(name.substr(1));
      }
    } else if (auto node = read_node(line, symbols)) {
      fragment.add(*std::move(node));
    }
  }
  return fragment;
}

std::string op_of_target(std::string_view target) {
  const std::size_t space = target.find('.');
  if (space == std::string_view::npos) return std::string(target);
  const std::size_t overload = target.find('.', space + 1);
  const std::string_view called = target.substr(0, overload);
  const auto* const known = std::ranges::find(kOtherNames, called, &OtherName::theirs);
  if (known != kOtherNames.end()) return std::string(known->ours);
  const std::string_view library = called.substr(0, space);
  const std::string_view word = called.substr(space + 1);
  return std::string(library == "prims" ? "aten" : library) + "::" + std::string(word);
}

OpDesc describe_node(const FragmentNode& node, const GraphFragment& fragment) {
  OpDesc op;
  op.op = op_of_target(node.target);
  op.module = op.op.substr(0, op.op.find(':'));
  Arguments arguments{fragment};
  constexpr std::string_view kHigherOrder = "higher_order.";
  for (const std::string_view arg : split_arguments(node.args)) {
    // Its tensors come first, then the functions that it calls.
    if (node.target.starts_with(kHigherOrder) && !arguments.is_tensor(arg)) break;
    arguments.add(arg);
  }
  ops::AtenTensors made =
      ops::aten_tensors(op.op, arguments.sizes, arguments.types, arguments.values, arguments.lists);
  op.tensors = std::move(made.tensors);
  op.attrs = std::move(made.values);
  if (node.type) {
    Tensor& result = op.tensors.emplace_back();
    result.name = "out";
    result.role = Tensor::Role::kOut;
    result.dtype = node.type->dtype;
    result.shape = node.type->shape;
  }
  return op;
}

}  // namespace prof::compiled
