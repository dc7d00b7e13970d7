// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/range_name.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace prof::reports {
namespace {

/// Fields that PyTorch appends to an op's name in a range's text.
constexpr std::array<std::string_view, 4> kTorchFields = {
    ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

/// "[[2, 3], []]" after ", sizes = ".
std::string_view torch_sizes(std::string_view text) {
  const std::size_t at = text.find(kTorchFields[2]);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kTorchFields[2].size());
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

std::string word_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The op of a range of prof/annotate.hpp, or the class of a module that prof_torch states.
RangeName native_name(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {std::string(text), ""};
  std::string name = word_of(json, "op");
  if (name.empty()) name = word_of(json, "call");
  if (name.empty()) {
    // It states the direction of what is inside.
    const std::string mod = word_of(json, "mod"), dir = word_of(json, "dir");
    return {mod.empty() || dir.empty() ? std::string(text) : mod + ":" + dir, ""};
  }
  std::string inputs;
  const auto args = json.value("args", nlohmann::json::array());
  for (const auto& arg : args) {
    if (!arg.is_object() || !arg.contains("shape") || word_of(arg, "role") == "out") continue;
    inputs += (inputs.empty() ? "[" : ", ") + arg["shape"].dump();
  }
  return {std::move(name), inputs.empty() ? inputs : inputs + "]"};
}

}  // namespace

RangeName name_of_range(std::string_view text) {
  if (text.starts_with('{')) return native_name(text);
  std::size_t end = text.size();
  for (const std::string_view field : kTorchFields) end = std::min(end, text.find(field));
  return {std::string(text.substr(0, end)), std::string(torch_sizes(text))};
}

}  // namespace prof::reports
