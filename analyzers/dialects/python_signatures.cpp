// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/python_signatures.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "analyzers/dialects/words.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/aten_values.hpp"

namespace prof::dialects {
namespace {

struct Row {
  std::string_view module, functions, parameters;
};

constexpr Row kRows[] = {
#define PROF_PYTHON(module, functions, parameters) {module, functions, parameters},
#include "analyzers/dialects/python_signatures.inc"
#undef PROF_PYTHON
};

struct Parameter {
  enum class Takes : std::uint8_t {
    kAny,
    kTensor,
    kMaybeTensor,
    kTensors,
    kNumbers,
    kValue,
    kNothing
  };
  std::string_view keyword, name;
  Takes takes = Takes::kAny;
  Tensor::Role role = Tensor::Role::kIn;
  std::string_view otherwise;  ///< Default of a value that was not passed; empty: none.
};

Parameter parse_parameter(std::string_view text) {
  Parameter made;
  if (text.starts_with('+')) {
    made.takes = Parameter::Takes::kNothing;
    text.remove_prefix(1);
  } else if (text.starts_with('=') || text.starts_with('>')) {
    made.role = text.front() == '=' ? Tensor::Role::kInOut : Tensor::Role::kOut;
    text.remove_prefix(1);
  }
  constexpr std::pair<std::string_view, Parameter::Takes> kEnds[] = {
      {"!", Parameter::Takes::kTensor},
      {"?", Parameter::Takes::kMaybeTensor},
      {"*", Parameter::Takes::kTensors},
      {"...", Parameter::Takes::kNumbers},
  };
  for (const auto& [end, takes] : kEnds) {
    if (!text.ends_with(end)) continue;
    made.takes = takes;
    text.remove_suffix(end.size());
    break;
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (made.takes == Parameter::Takes::kAny) made.takes = Parameter::Takes::kValue;
    made.otherwise = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  const std::size_t sign = text.find('=');
  made.keyword = text.substr(0, sign);
  made.name = sign == std::string_view::npos ? text : text.substr(sign + 1);
  return made;
}

std::vector<Parameter> parse_parameters(std::string_view text) {
  std::vector<Parameter> made;
  while (!text.empty()) made.push_back(parse_parameter(next_part(text, ' ')));
  return made;
}

/// "1", "true", "[]" or a word.
AttrValue default_value(std::string_view text) {
  if (text == "[]") return std::string();
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = whole_number(text)) return *number;
  return std::string(text);
}

/// Binds the arguments of one call to the parameters of one overload.
class Binding {
 public:
  explicit Binding(const std::vector<Parameter>& parameters) : parameters_(parameters) {
    taken_.resize(parameters.size());
  }

  /// False if the overload does not take these arguments.
  bool take(const std::vector<PythonArgument>& arguments) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const PythonArgument& argument = arguments[i];
      if (argument.keyword == "out" && argument.kind == PythonArgument::Kind::kTensor) {
        outputs_.push_back(&argument);
        continue;
      }
      const bool by_position = argument.keyword.empty();
      const std::size_t to =
          by_position ? next(at, tensors_from(arguments, i)) : index_of(argument.keyword);
      if (by_position) at = is_list(to) ? to : to + 1;
      if (to >= parameters_.size() || !fits(parameters_[to], argument)) return false;
      if (!taken_[to].empty() && !is_list(to)) return false;
      taken_[to].push_back(&argument);
    }
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (taken_[i].empty() && is_required(parameters_[i])) return false;
    }
    return true;
  }

  void add_to(OpDesc& op) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) add(parameters_[i], taken_[i], op);
    for (const PythonArgument* output : outputs_) {
      Tensor tensor = output->tensor;
      tensor.name = "out";
      tensor.role = Tensor::Role::kOut;
      op.tensors.push_back(std::move(tensor));
    }
  }

 private:
  using Takes = Parameter::Takes;

  [[nodiscard]] bool is_list(std::size_t at) const {
    if (at >= parameters_.size()) return false;
    return parameters_[at].takes == Takes::kTensors || parameters_[at].takes == Takes::kNumbers;
  }

  static bool is_required(const Parameter& parameter) {
    return parameter.takes == Takes::kAny || parameter.takes == Takes::kTensor ||
           parameter.takes == Takes::kTensors;
  }

  static bool fits(const Parameter& parameter, const PythonArgument& argument) {
    switch (parameter.takes) {
      case Takes::kAny:
        return true;
      case Takes::kTensor:
      case Takes::kTensors:
        return argument.kind == PythonArgument::Kind::kTensor;
      case Takes::kMaybeTensor:
        return argument.kind != PythonArgument::Kind::kValue;
      case Takes::kNumbers:
      case Takes::kValue:
        return argument.kind != PythonArgument::Kind::kTensor;
      case Takes::kNothing:
        return false;
    }
    return false;
  }

  static std::size_t tensors_from(const std::vector<PythonArgument>& arguments, std::size_t from) {
    std::size_t count = 0;
    while (from + count < arguments.size() && arguments[from + count].keyword.empty() &&
           arguments[from + count].kind == PythonArgument::Kind::kTensor) {
      ++count;
    }
    return count;
  }

  /// Where the next positional argument goes, with which `tensors` begin.
  [[nodiscard]] std::size_t next(std::size_t at, std::size_t tensors) const {
    while (at < parameters_.size()) {
      const Takes takes = parameters_[at].takes;
      if (takes == Takes::kNothing) {
        ++at;
        continue;
      }
      if (takes != Takes::kTensors) return at;
      const auto needed = static_cast<std::size_t>(
          std::count_if(parameters_.begin() + static_cast<std::ptrdiff_t>(at), parameters_.end(),
                        [](const Parameter& later) { return later.takes == Takes::kTensor; }));
      if (tensors > needed) return at;
      ++at;
    }
    return at;
  }

  [[nodiscard]] std::size_t index_of(std::string_view keyword) const {
    // NumPy's words, which PyTorch also takes.
    if (keyword == "axis") keyword = "dim";
    if (keyword == "keepdims") keyword = "keepdim";
    const auto found = std::ranges::find_if(parameters_, [&](const Parameter& parameter) {
      return parameter.takes != Takes::kNothing && parameter.keyword == keyword;
    });
    return static_cast<std::size_t>(found - parameters_.begin());
  }

  static void add(const Parameter& parameter, const std::vector<const PythonArgument*>& taken,
                  OpDesc& op) {
    if (parameter.name == "-") return;
    std::string name(parameter.name);
    std::optional<AttrValue> value;
    for (const PythonArgument* argument : taken) {
      if (argument->kind == PythonArgument::Kind::kTensor) {
        Tensor tensor = argument->tensor;
        tensor.name = name;
        tensor.role = parameter.role;
        op.tensors.push_back(std::move(tensor));
      } else if (argument->kind == PythonArgument::Kind::kValue) {
        value = value ? joined(*value, argument->value) : argument->value;
      }
    }
    if (!value && !parameter.otherwise.empty()) value = default_value(parameter.otherwise);
    if (value) op.attrs.emplace(std::move(name), std::move(*value));
  }

  /// The numbers of `*size`: "2" and 3 give "2,3".
  static AttrValue joined(const AttrValue& list, const AttrValue& number) {
    const auto print = [](const AttrValue& value) {
      const auto* whole = std::get_if<std::int64_t>(&value);
      const auto* text = std::get_if<std::string>(&value);
      return whole != nullptr ? std::to_string(*whole) : text != nullptr ? *text : std::string("?");
    };
    return print(list) + "," + print(number);
  }

  const std::vector<Parameter>& parameters_;
  std::vector<std::vector<const PythonArgument*>> taken_;
  std::vector<const PythonArgument*> outputs_;
};

bool is_of(std::string_view row, std::string_view module) {
  if (row == "any") return true;
  if (row == "functional") return module.ends_with("functional");
  if (row == "Tensor") return module.ends_with("Tensor");
  return row == module;
}

/// `add_` is the in-place form of `add`; `__add__` is not.
bool has_underscore(std::string_view function) {
  return function.size() > 1 && function.ends_with('_') && !function.ends_with("__");
}

std::string_view without_underscore(std::string_view function) {
  if (has_underscore(function)) function.remove_suffix(1);
  return function;
}

/// The overloads of a function, as rows state them; empty if none does.
std::string_view overloads_of(std::string_view module, std::string_view function) {
  using Index = std::unordered_multimap<std::string_view, const Row*>;
  static const Index index = [] {
    Index made;
    for (const Row& row : kRows) {
      std::string_view functions = row.functions;
      while (!functions.empty()) made.emplace(next_part(functions, ' '), &row);
    }
    return made;
  }();
  std::string_view of_any;
  for (const std::string_view word : {function, without_underscore(function)}) {
    const auto [from, to] = index.equal_range(word);
    for (auto it = from; it != to; ++it) {
      const Row& row = *it->second;
      if (row.module == "any") {
        of_any = row.parameters;
      } else if (is_of(row.module, module)) {
        return row.parameters;
      }
    }
    if (!of_any.empty()) return of_any;
  }
  return {};
}

/// The arguments of the ATen op of that name, in schema order.
std::vector<Parameter> aten_parameters(std::string_view function) {
  std::vector<ops::AtenArgument> arguments = ops::aten_arguments(function);
  if (arguments.empty()) arguments = ops::aten_arguments(ops::display_word(function));
  std::vector<Parameter> made;
  for (const ops::AtenArgument& argument : arguments) {
    const std::string_view name = argument.name.empty() ? "-" : argument.name;
    made.push_back({argument.name,
                    name,
                    argument.list ? Parameter::Takes::kTensors : Parameter::Takes::kAny,
                    argument.role,
                    {}});
  }
  return made;
}

/// Takes the arguments of a function without a row: those passed by position have names as far as
/// the ATen op has arguments, the others their keywords.
void take_loosely(const std::vector<PythonArgument>& arguments, OpDesc& op) {
  const std::vector<Parameter> parameters = aten_parameters(op.op);
  std::size_t at = 0;
  for (const PythonArgument& argument : arguments) {
    std::string name(argument.keyword);
    Tensor::Role role = name == "out" ? Tensor::Role::kOut : Tensor::Role::kIn;
    const bool by_position = argument.keyword.empty() && at < parameters.size();
    if (by_position) {
      const Parameter& parameter = parameters[at];
      const bool in_list = parameter.takes == Parameter::Takes::kTensors;
      if (parameter.name != "-") name = parameter.name;
      role = parameter.role;
      if (!in_list) ++at;
    }
    if (argument.kind == PythonArgument::Kind::kTensor) {
      op.tensors.push_back(argument.tensor);
      op.tensors.back().name = std::move(name);
      op.tensors.back().role = role;
    } else if (argument.kind == PythonArgument::Kind::kValue && !name.empty()) {
      if (auto value = ops::aten_value(name, argument.value)) {
        op.attrs.emplace(std::move(name), std::move(*value));
      }
    }
  }
}

/// `size_average` and `reduce` are what `reduction` was until torch 0.4.
void settle_reduction(OpDesc& op) {
  const auto is_false = [&op](std::string_view key) {
    const auto it = op.attrs.find(key);
    const bool* value = it == op.attrs.end() ? nullptr : std::get_if<bool>(&it->second);
    return value != nullptr && !*value;
  };
  if (is_false("reduce")) {
    op.attrs["reduction"] = std::string("none");
  } else if (is_false("size_average")) {
    op.attrs["reduction"] = std::string("sum");
  }
}

/// `add_` and `__iadd__` change their first argument.
bool is_in_place(std::string_view function) {
  constexpr std::string_view kOperators[] = {
      "__iadd__",      "__isub__",    "__imul__",    "__itruediv__", "__idiv__",
      "__ifloordiv__", "__imod__",    "__ipow__",    "__iand__",     "__ior__",
      "__ixor__",      "__ilshift__", "__irshift__", "__imatmul__"};
  if (std::ranges::find(kOperators, function) != std::end(kOperators)) return true;
  return has_underscore(function);
}

}  // namespace

void take_arguments(const std::vector<PythonArgument>& arguments, OpDesc& op) {
  std::string_view overloads = overloads_of(op.module, op.op);
  if (overloads.empty()) take_loosely(arguments, op);
  while (!overloads.empty()) {
    const std::vector<Parameter> parameters = parse_parameters(next_part(overloads, '|'));
    Binding binding(parameters);
    if (!binding.take(arguments)) continue;
    binding.add_to(op);
    break;
  }
  settle_reduction(op);
  if (!op.tensors.empty() && is_in_place(op.op) && op.tensors[0].role == Tensor::Role::kIn) {
    op.tensors[0].role = Tensor::Role::kInOut;
  }
}

}  // namespace prof::dialects
