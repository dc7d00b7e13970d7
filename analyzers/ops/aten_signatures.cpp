// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/aten_signatures.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analyzers/ops/aten_values.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Row {
  std::string_view words, text;
};

constexpr Row kSignatures[] = {
#define PROF_ATEN(words, arguments) {words, arguments},
#include "analyzers/ops/aten_signatures.inc"
#undef PROF_ATEN
#define PROF_LIBRARY_OP(words, model, arguments) {words, arguments},
#include "analyzers/ops/library_ops.inc"
#undef PROF_LIBRARY_OP
};

constexpr Row kLibraryOps[] = {
#define PROF_LIBRARY_OP(words, model, arguments) {words, model},
#include "analyzers/ops/library_ops.inc"
#undef PROF_LIBRARY_OP
};

constexpr Row kBackward[] = {
#define PROF_ATEN_BACKWARD(words, forward) {words, forward},
#define PROF_ATEN_DISPLAY(words, display)
#include "analyzers/ops/aten_words.inc"
#undef PROF_ATEN_BACKWARD
#undef PROF_ATEN_DISPLAY
};

constexpr Row kDisplay[] = {
#define PROF_ATEN_BACKWARD(words, forward)
#define PROF_ATEN_DISPLAY(words, display) {words, display},
#include "analyzers/ops/aten_words.inc"
#undef PROF_ATEN_BACKWARD
#undef PROF_ATEN_DISPLAY
#define PROF_LIBRARY_OP(words, model, arguments) {words, model},
#include "analyzers/ops/library_ops.inc"
#undef PROF_LIBRARY_OP
};

using Words = std::unordered_map<std::string_view, std::string_view>;

/// Removes and returns the part of `text` before the first `separator`.
std::string_view next(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

template <typename Rows>
Words index(const Rows& rows) {
  Words words;
  for (const Row& row : rows) {
    std::string_view rest = row.words;
    while (!rest.empty()) words.emplace(next(rest, ' '), row.text);
  }
  return words;
}

std::string_view look_up(const Words& words, std::string_view word) {
  const auto it = words.find(word);
  return it == words.end() ? std::string_view{} : it->second;
}

/// The row for the op's exact word, otherwise for its word without the in-place underscore.
std::string_view arguments_of(std::string_view op) {
  static const Words words = index(kSignatures);
  const std::string_view exact = look_up(words, without_namespace(op));
  return exact.empty() ? look_up(words, canonical_word(op)) : exact;
}

bool in_place(std::string_view op) { return op.ends_with('_') && !op.ends_with("__"); }

struct Argument {
  std::string_view name;
  Tensor::Role role = Tensor::Role::kIn;
  bool tensor = true, optional = false, list = false;
  bool implied = false;  ///< No argument: a value that the overload has without one.
  bool unread = false;   ///< Op models do not use it.
  std::size_t rank = 0;  ///< Number of dimensions of a tensor. 0: any.
  bool or_more = false;  ///< It may have more.

  /// A tensor that is there has other dimensions, or there is one where none may be.
  [[nodiscard]] bool contradicts(const Shape& shape) const {
    if (shape.empty()) return rank > 0 && !optional && !unread;
    if (!tensor && !unread) return true;
    return rank > 0 && (or_more ? shape.size() < rank : shape.size() != rank);
  }
};

/// Stands for all arguments that follow.
constexpr std::string_view kRest = "...";

Argument parse_argument(std::string_view text) {
  Argument argument;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    argument.rank = static_cast<std::size_t>(text[colon + 1] - '0');
    argument.or_more = text.ends_with('+');
    text = text.substr(0, colon);
  }
  argument.unread = text == ".";
  argument.tensor = !text.starts_with('-') && !argument.unread;
  argument.implied = text.starts_with('+');
  if (argument.unread) return argument;
  if (!argument.tensor || argument.implied) {
    argument.name = text.substr(1);
    return argument;
  }
  if (text.starts_with('=') || text.starts_with('>')) {
    argument.role = text.front() == '=' ? Tensor::Role::kInOut : Tensor::Role::kOut;
    text.remove_prefix(1);
  }
  if (text.ends_with('?') || text.ends_with('*')) {
    argument.optional = text.back() == '?';
    argument.list = text.back() == '*';
    text.remove_suffix(1);
  }
  argument.name = text;
  return argument;
}

/// Factories (arange, rand, ...) take only numbers, then possibly the output.
bool factory(const std::vector<Argument>& arguments) {
  return std::none_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
    return argument.tensor && !argument.implied;
  });
}

struct Overload {
  std::vector<Argument> arguments;
  bool has_rest = false;  ///< More may follow, which op models do not use.
};

Overload parse_overload(std::string_view text) {
  Overload overload;
  while (!text.empty()) {
    const std::string_view argument = next(text, ' ');
    if (argument == kRest) {
      overload.has_rest = true;
    } else {
      overload.arguments.push_back(parse_argument(argument));
    }
  }
  return overload;
}

/// The lists of one call run in parallel: tensor i of each has the same shape, or is a scalar in
/// all of the other one. If all are scalars, that proves nothing: mostly they are one list, such as
/// an optimizer's numbers of steps.
bool lists_agree(const std::vector<Shape>& shapes, std::size_t first, std::size_t other,
                 std::size_t length) {
  bool equal = true, scalars = true, first_scalars = true;
  for (std::size_t i = 0; i < length; ++i) {
    equal = equal && shapes[first + i] == shapes[other + i];
    scalars = scalars && shapes[other + i].empty();
    first_scalars = first_scalars && shapes[first + i].empty();
  }
  return !first_scalars && (equal || scalars);
}

DType type_at(const std::vector<DType>& types, std::size_t at) {
  return at < types.size() ? types[at] : DType::kUnknown;
}

/// The source's statements about the tensors of one call, by the place of each shape.
struct Stated {
  const std::vector<Shape>& shapes;
  const std::vector<DType>& types;
  const AtenLists& lists;
  const std::vector<std::optional<double>>& distinct;

  [[nodiscard]] Tensor tensor(std::string_view name, Tensor::Role role, std::size_t at) const {
    Tensor made{std::string(name), role, type_at(types, at), shapes[at]};
    if (at < distinct.size()) made.distinct = distinct[at];
    return made;
  }
};

/// The length of every list of such a call, 0 if it has none; nullopt if that is no whole number.
std::optional<std::size_t> list_length(const std::vector<Argument>& arguments, std::size_t count) {
  std::size_t lists = 0, singles = 0;
  for (const Argument& argument : arguments) {
    if (argument.implied) continue;
    ++(argument.list ? lists : singles);
  }
  if (lists == 0) return 0;
  if (count < singles + lists || (count - singles) % lists != 0) return std::nullopt;
  return (count - singles) / lists;
}

/// Where the source states which arguments are lists: this one is a list of that length, or none.
/// A list that is empty, or that the source does not look into, takes the place of one argument.
bool fits_lists(const Argument& argument, const AtenLists& lists, std::size_t at,
                std::size_t length) {
  if (at >= lists.size()) return true;
  const std::size_t stated = lists[at].list;
  return argument.list ? std::max<std::size_t>(stated, 1) == length : stated == 0;
}

/// In a list of tensors that the source does not look into, nothing is known of a tensor.
bool is_placeholder(const std::vector<DType>& types, const AtenLists& lists, std::size_t at) {
  if (at < lists.size()) return lists[at].list == 0;
  return at < types.size() && types[at] == DType::kUnknown;
}

struct Matched {
  std::vector<Tensor> tensors;
  std::string_view hidden_list;  ///< The list that the source does not look into, if there is one.
  /// Which indices of a list are no tensors: "0,2". Absent: there are none, or it is not stated.
  std::optional<std::string> left_out;
  DType out_type = DType::kUnknown;  ///< Type of an output without a size.
};

/// The tensors of one overload, or nullopt if the shapes do not match it.
std::optional<Matched> match(const Overload& overload, const Stated& stated) {
  const auto& [shapes, types, lists, distinct] = stated;
  const std::vector<Argument>& arguments = overload.arguments;
  const auto length = list_length(arguments, shapes.size());
  if (!length) return {};
  Matched made;
  std::vector<Tensor>& tensors = made.tensors;
  std::size_t at = 0;
  std::optional<std::size_t> first_list;
  const bool only_numbers = factory(arguments);
  for (const Argument& argument : arguments) {
    if (argument.implied) continue;
    if (only_numbers && at < shapes.size() && !shapes[at].empty()) break;
    const std::size_t count = argument.list ? *length : 1;
    if (at < shapes.size() && !fits_lists(argument, lists, at, count)) return {};
    if (argument.list) {
      const bool is_stated = at < lists.size();
      if (first_list && !is_stated && !lists_agree(shapes, *first_list, at, count)) return {};
      if (!first_list) first_list = at;
    }
    const std::size_t first = at;
    if (argument.name == "indices" && argument.list && at < lists.size()) made.left_out = "";
    for (std::size_t i = 0; i < count && at < shapes.size(); ++i, ++at) {
      const Shape& shape = shapes[at];
      if (argument.contradicts(shape)) return {};
      if (!argument.tensor || (argument.optional && shape.empty())) continue;
      // An output that the op has yet to size states its type alone.
      if (argument.optional && argument.role == Tensor::Role::kOut && shape == Shape{0}) {
        made.out_type = type_at(types, at);
        continue;
      }
      if (at < lists.size() && lists[at].is_missing) {
        if (made.left_out) {
          if (!made.left_out->empty()) *made.left_out += ',';
          made.left_out->append(std::to_string(i));
        }
        continue;
      }
      if (argument.list && shape.empty() && is_placeholder(types, lists, first)) {
        made.hidden_list = argument.name;
        continue;
      }
      tensors.push_back(stated.tensor(argument.name, argument.role, at));
    }
  }
  for (; !overload.has_rest && at < shapes.size(); ++at) {
    // An output that the op has yet to size is empty; it carries no information.
    if (!shapes[at].empty() && shapes[at] != Shape{0}) {
      tensors.push_back(stated.tensor("out", Tensor::Role::kOut, at));
    }
  }
  return made;
}

/// The named values of one overload. Nullopt unless the call has exactly its arguments, and maybe
/// outputs: with fewer, another overload or an older version may have other values there.
/// `with_numbers`: a number may stand for a tensor.
std::optional<AtenValues> values_of(const Overload& overload, const std::vector<Shape>& shapes,
                                    const std::vector<DType>& types,
                                    const std::vector<AtenValue>& values, bool with_numbers) {
  const std::vector<Argument>& arguments = overload.arguments;
  const auto length = list_length(arguments, shapes.size());
  if (!length) return std::nullopt;
  AtenValues named;
  std::size_t at = 0;
  for (const Argument& argument : arguments) {
    if (argument.implied) {
      named.emplace(argument.name, std::string());
      continue;
    }
    if (at >= shapes.size() || at >= values.size()) return std::nullopt;
    const bool is_number = argument.tensor && !argument.list && values[at];
    if (is_number && !with_numbers) return std::nullopt;
    if ((is_number || !argument.tensor) && !argument.name.empty() && values[at]) {
      if (auto value = aten_value(argument.name, *values[at])) {
        named.emplace(argument.name, std::move(*value));
      }
    }
    at += argument.list ? *length : 1;
  }
  for (; !overload.has_rest && at < shapes.size(); ++at) {
    if (shapes[at].empty() && type_at(types, at) == DType::kUnknown) return std::nullopt;
  }
  return named;
}

AtenValues named_values(std::string_view overloads, const Stated& stated,
                        const std::vector<AtenValue>& values) {
  if (values.empty()) return {};
  for (const bool with_numbers : {false, true}) {
    for (std::string_view rest = overloads; !rest.empty();) {
      const Overload overload = parse_overload(next(rest, '|'));
      if (!match(overload, stated)) continue;
      auto named = values_of(overload, stated.shapes, stated.types, values, with_numbers);
      if (named) return std::move(*named);
    }
  }
  return {};
}

}  // namespace

std::vector<AtenArgument> aten_arguments(std::string_view op) {
  std::string_view overloads = arguments_of(op);
  std::vector<AtenArgument> made;
  for (const Argument& argument : parse_overload(next(overloads, '|')).arguments) {
    if (argument.implied) continue;
    made.push_back({argument.name, argument.tensor, argument.list, argument.role});
  }
  return made;
}

AtenTensors aten_tensors(std::string_view op, const std::vector<Shape>& shapes,
                         const std::vector<DType>& types, const std::vector<AtenValue>& values,
                         const AtenLists& lists,
                         const std::vector<std::optional<double>>& distinct) {
  const Stated stated{shapes, types, lists, distinct};
  std::string_view overloads = arguments_of(op);
  AtenValues named = named_values(overloads, stated, values);
  while (!overloads.empty()) {
    const Overload overload = parse_overload(next(overloads, '|'));
    auto matched = match(overload, stated);
    if (!matched) continue;
    std::vector<Tensor>& tensors = matched->tensors;
    const std::string_view hidden = matched->hidden_list;
    if (!hidden.empty()) named.emplace("hides_list", std::string(hidden));
    if (matched->out_type != DType::kUnknown) {
      named.emplace("dtype", std::string(name(matched->out_type)));
    }
    if (matched->left_out) named.emplace("left_out", *std::move(matched->left_out));
    if (in_place(op) && !tensors.empty()) {
      const std::string& changed =
          overload.arguments.front().list ? tensors.front().name : std::string{};
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        Tensor& tensor = tensors[i];
        const bool first = i == 0 || (!changed.empty() && tensor.name == changed);
        if (first && tensor.role == Tensor::Role::kIn) tensor.role = Tensor::Role::kInOut;
      }
    }
    return {std::move(tensors), std::move(named), true};
  }
  AtenTensors plain;
  for (std::size_t at = 0; at < shapes.size(); ++at) {
    if (shapes[at].empty()) continue;
    plain.tensors.push_back(stated.tensor({}, Tensor::Role::kIn, at));
  }
  return plain;
}

bool is_library_op(std::string_view op) {
  static const Words words = index(kLibraryOps);
  return !look_up(words, canonical_word(op)).empty();
}

std::string_view forward_word(std::string_view op) {
  static const Words words = index(kBackward);
  const std::string_view word = canonical_word(op);
  const std::string_view listed = look_up(words, word);
  if (!listed.empty()) return listed;
  constexpr std::string_view kBackwardEnd = "_backward";
  if (!word.ends_with(kBackwardEnd) || word.size() == kBackwardEnd.size()) return {};
  return word.substr(0, word.size() - kBackwardEnd.size());
}

std::string_view display_word(std::string_view op) {
  static const Words words = index(kDisplay);
  const std::string_view forward = forward_word(op);
  const std::string_view word = forward.empty() ? canonical_word(op) : forward;
  const std::string_view shown = look_up(words, word);
  return shown.empty() ? word : shown;
}

}  // namespace prof::ops
