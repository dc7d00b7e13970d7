// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/signature.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "libprof/source/json_bounds.hpp"

namespace prof::importers {
namespace {

using SignatureJson = nlohmann::ordered_json;

struct SignatureWord {
  std::string_view theirs, ours;
};

/// Limit for one value, which the signature nests a few levels deeper: readers refuse more than 64.
constexpr std::size_t kMaxValueDepth = 32;

/// C++'s names of element types, as caffe2::TypeMeta has them; also with "struct " or "class ". The
/// types of collectives are c10::ScalarType's.
constexpr std::array kTypes = {
    SignatureWord{"float", "float32"},
    SignatureWord{"double", "float64"},
    SignatureWord{"c10::Half", "float16"},
    SignatureWord{"c10::BFloat16", "bfloat16"},
    SignatureWord{"int", "int32"},
    SignatureWord{"long int", "int64"},
    SignatureWord{"long", "int64"},
    SignatureWord{"long long", "int64"},
    SignatureWord{"short int", "int16"},
    SignatureWord{"short", "int16"},
    SignatureWord{"signed char", "int8"},
    SignatureWord{"unsigned char", "uint8"},
    SignatureWord{"bool", "bool"},
    SignatureWord{"c10::complex<float>", "complex64"},
    SignatureWord{"c10::complex<double>", "complex128"},
    SignatureWord{"c10::Float8_e4m3fn", "float8_e4m3fn"},
    SignatureWord{"c10::Float8_e5m2", "float8_e5m2"},
    SignatureWord{"c10::Float8_e4m3fnuz", "float8_e4m3fnuz"},
    SignatureWord{"c10::Float8_e5m2fnuz", "float8_e5m2fnuz"},
    SignatureWord{"c10::Float8_e8m0fnu", "float8_e8m0fnu"},
    SignatureWord{"c10::Float4_e2m1fn_x2", "float4_e2m1fn_x2"},
    SignatureWord{"Float", "float32"},
    SignatureWord{"Double", "float64"},
    SignatureWord{"Half", "float16"},
    SignatureWord{"BFloat16", "bfloat16"},
    SignatureWord{"Int", "int32"},
    SignatureWord{"Long", "int64"},
    SignatureWord{"Short", "int16"},
    SignatureWord{"Char", "int8"},
    SignatureWord{"Byte", "uint8"},
    SignatureWord{"Bool", "bool"},
    SignatureWord{"ComplexFloat", "complex64"},
    SignatureWord{"ComplexDouble", "complex128"},
    SignatureWord{"Float8_e4m3fn", "float8_e4m3fn"},
    SignatureWord{"Float8_e5m2", "float8_e5m2"},
    SignatureWord{"Float8_e4m3fnuz", "float8_e4m3fnuz"},
    SignatureWord{"Float8_e5m2fnuz", "float8_e5m2fnuz"},
};

/// Facts that ProcessGroup states of a collective beside its arguments.
constexpr std::array kFacts = {
    SignatureWord{"Collective name", "collective"}, SignatureWord{"In msg nelems", "elements_in"},
    SignatureWord{"Out msg nelems", "elements_out"}, SignatureWord{"Group size", "ranks"},
    SignatureWord{"dtype", "dtype"}};

/// Types of arguments that are no tensors.
constexpr std::string_view kValues[] = {"Scalar", "ScalarList", "GenericList"};

/// Torch's word for a type; an unknown type keeps its own name.
std::string_view type_word(std::string_view theirs) {
  for (const std::string_view prefix : {"struct ", "class "}) {
    if (theirs.starts_with(prefix)) theirs.remove_prefix(prefix.size());
  }
  const auto* const known = std::ranges::find(kTypes, theirs, &SignatureWord::theirs);
  return known == kTypes.end() ? theirs : known->ours;
}

SignatureJson sizes(const EventValue& list) {
  SignatureJson made = SignatureJson::array();
  for (const EventValue& item : list.items) {
    const auto size = item.whole();
    // Signs are in the text: "-1", but not 2^64 - 1.
    const bool fits = size && (static_cast<std::int64_t>(*size) >= 0 || item.text.starts_with('-'));
    made.push_back(fits ? SignatureJson(static_cast<std::int64_t>(*size)) : SignatureJson());
  }
  return made;
}

/// The item of a list of one entry per argument; empty if there is none.
const EventValue& item(const EventValue* list, std::size_t at) {
  static const EventValue none;
  return list == nullptr || at >= list->items.size() ? none : list->items[at];
}

SignatureJson tensor(const EventValue& shape, std::string_view type, const EventValue& strides) {
  SignatureJson made = {{"shape", sizes(shape)}};
  if (!type.empty()) made["dtype"] = type_word(type);
  if (!strides.items.empty()) made["strides"] = sizes(strides);
  return made;
}

bool is_list_of_tensors(const EventValue& shape, std::string_view type) {
  if (type == "TensorList" || type.starts_with("GenericList[Tensor")) return true;
  return !shape.items.empty() && shape.items.front().kind == EventValue::Kind::kList;
}

/// "[False, 2.]" is "[false, 2.0]" in JSON.
std::string as_json(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("[], "), text.size());
    const std::string_view word = text.substr(0, end);
    if (word == "True" || word == "False") {
      made += word == "True" ? "true" : "false";
    } else {
      made += word;
      if (word.ends_with('.')) made += '0';
    }
    if (end < text.size()) made += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

/// A value as the profiler prints it: "1", "True", "[1024, 1]", "1.". What would take much to parse
/// stays a text.
SignatureJson value(const std::string& text) {
  const JsonShape shape = json_shape(text);
  if (shape.depth > kMaxValueDepth || shape.values > kMaxJsonValues) return text;
  SignatureJson parsed = SignatureJson::parse(as_json(text), nullptr, false);
  return parsed.is_discarded() ? SignatureJson(text) : parsed;
}

SignatureJson argument(const EventValue& shape, const EventValue& type, const EventValue& strides,
                       const EventValue& concrete) {
  const std::string_view word = type.text;
  if (is_list_of_tensors(shape, word)) {
    SignatureJson list = SignatureJson::array();
    for (std::size_t i = 0; i < shape.items.size(); ++i) {
      const EventValue& of_item = item(&type, i);
      list.push_back(tensor(shape.items[i], of_item.text, item(&strides, i)));
    }
    return {{"list", std::move(list)}};
  }
  const bool is_value = std::ranges::any_of(
      kValues, [word](std::string_view known) { return word.starts_with(known); });
  if (!is_value && (!shape.items.empty() || !word.empty())) return tensor(shape, word, strides);
  return concrete.text.empty() ? SignatureJson() : SignatureJson{{"value", value(concrete.text)}};
}

/// Empty if the event lacks it.
std::string_view text_of(const TraceEvent& event, std::string_view name) {
  const EventValue* const value = event.arg(name);
  return value == nullptr ? std::string_view() : std::string_view(value->text);
}

SignatureJson facts_of(const TraceEvent& op) {
  SignatureJson made = SignatureJson::object();
  // torch.compile states which compiler made a kernel.
  if (const std::string_view backend = text_of(op, "kernel_backend"); !backend.empty()) {
    made["backend"] = backend;
  }
  if (op.arg(kFacts.front().theirs) == nullptr) return made;
  for (const SignatureWord& fact : kFacts) {
    const EventValue* const stated = op.arg(fact.theirs);
    if (stated == nullptr || stated->text.empty()) continue;
    const auto number = stated->whole();
    made[fact.ours] = number ? SignatureJson(static_cast<std::int64_t>(*number))
                             : SignatureJson(type_word(stated->text));
  }
  return made;
}

/// "Net:block:proj" of
/// "top(Net)::forward.SELF(Net)::forward.block(Block)::forward.proj(Linear)::..", which is how
/// TorchScript states the modules around an op.
std::string layer_of(std::string_view modules) {
  constexpr std::string_view kFunction = ")::";
  std::string path;
  while (!modules.empty()) {
    const std::size_t open = modules.find('(');
    const std::size_t close = modules.find(kFunction);
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) break;
    const std::string_view instance = modules.substr(0, open);
    const std::string_view type = modules.substr(open + 1, close - open - 1);
    if (instance != "SELF" || path.empty()) {
      if (!path.empty()) path += ':';
      path += instance == "top" || instance == "SELF" ? type : instance;
    }
    const std::size_t dot = modules.find('.', close + kFunction.size());
    modules.remove_prefix(dot == std::string_view::npos ? modules.size() : dot + 1);
  }
  return path;
}

/// "model.py(31)": the innermost frame outside of torch, of "model.py(31): forward;train.py(12):
/// step".
std::string_view caller_in(std::string_view stack) {
  while (!stack.empty()) {
    const std::size_t end = stack.find(';');
    const std::string_view frame = stack.substr(0, end);
    const bool is_torchs = frame.starts_with("torch/") || frame.starts_with('<') ||
                           frame.find("/torch/") != std::string_view::npos;
    if (!is_torchs) return frame.substr(0, frame.find(": "));
    stack.remove_prefix(end == std::string_view::npos ? stack.size() : end + 1);
  }
  return {};
}

/// Where the op is called; for want of that, of a kernel that torch.compile made, its source.
void add_place(const TraceEvent& op, SignatureJson& made) {
  if (std::string layer = layer_of(text_of(op, "Module Hierarchy")); !layer.empty()) {
    made["layer"] = std::move(layer);
  }
  std::string_view place = caller_in(text_of(op, "Call stack"));
  if (place.empty()) place = text_of(op, "kernel_file");
  if (!place.empty()) made["called_at"] = place;
}

/// A range of the program's own has a category of its own, but not until torch 1.9.
bool is_surely_op(const TraceEvent& event) {
  return event.category != "Operator" || event.name.find("::") != std::string::npos;
}

}  // namespace

std::string signature_of(const TraceEvent& op, bool is_backward) {
  SignatureJson made = {{"source", "kineto"}, {"op", op.name}};
  const EventValue* const shapes = op.arg("Input Dims");
  const bool has_shapes = shapes != nullptr && shapes->kind == EventValue::Kind::kList;
  if (is_backward) {
    made["scope"] = "backward";
  } else if (!has_shapes && is_surely_op(op)) {
    made["scope"] = "function";
  }
  if (has_shapes) {
    SignatureJson args = SignatureJson::array();
    for (std::size_t i = 0; i < shapes->items.size(); ++i) {
      args.push_back(argument(shapes->items[i], item(op.arg("Input type"), i),
                              item(op.arg("Input Strides"), i),
                              item(op.arg("Concrete Inputs"), i)));
    }
    made["args"] = std::move(args);
  }
  add_place(op, made);
  if (SignatureJson facts = facts_of(op); !facts.empty()) made["facts"] = std::move(facts);
  return made.dump(-1, ' ', false, SignatureJson::error_handler_t::replace);
}

}  // namespace prof::importers
