// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dispatches to a grammar, and holds the short ones.
#include "analyzers/kernels/grammars.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {

NameFacts read_tile(std::string_view name) {
  NameFacts facts;
  facts.dtypes_known = true;  // cuDNN's "f16" is any 16-bit float: bfloat16 runs in it, too
  NameWords words(name);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const auto sizes = whole_sizes(word);
    if (!sizes) continue;
    facts.tile = to_block(*sizes);
    break;
  }
  return facts;
}

NameFacts read_aligned(std::string_view name) {
  NameFacts facts = read_tile(name);
  NameWords words(name);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (const auto dtype = whole_dtype(word)) {
      facts.operand = *dtype;
      break;
    }
  }
  return facts;
}

NameFacts read_trtllm_gemm(std::string_view name) {
  NameFacts facts;
  facts.dtypes_known = true;
  NameWords words(name);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const char kind = word.front();
    if (kind != 't' && kind != 'm') continue;
    word.remove_prefix(1);
    const auto sizes = take_sizes(word);
    if (!sizes) continue;
    auto& shape = kind == 't' ? facts.tile : facts.instruction;
    if (!shape) shape = to_block(*sizes);
  }
  return facts;
}

NameFacts read_pointers(std::string_view name) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"float", DType::kFloat32},          {"double", DType::kFloat64},
      {"c10::Half", DType::kFloat16},      {"at::Half", DType::kFloat16},
      {"c10::BFloat16", DType::kBFloat16}, {"at::BFloat16", DType::kBFloat16}};
  NameFacts facts;
  const std::size_t begin = name.rfind('(');
  if (begin == std::string_view::npos) return facts;
  for (std::string_view rest = name.substr(begin + 1); !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(",)"), rest.size());
    std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (parameter.starts_with(' ')) parameter.remove_prefix(1);
    if (!parameter.ends_with('*')) continue;
    parameter.remove_suffix(1);
    constexpr std::string_view kConst = " const";
    const bool is_read = parameter.ends_with(kConst);
    if (is_read) parameter.remove_suffix(kConst.size());
    const auto* type =
        std::ranges::find(kTypes, parameter, &std::pair<std::string_view, DType>::first);
    DType& dtype = is_read ? facts.operand : facts.output;
    if (type != std::end(kTypes) && dtype == DType::kUnknown) dtype = type->second;
  }
  if (facts.operand == DType::kUnknown || facts.output == DType::kUnknown) return {};
  facts.dtypes_known = true;
  return facts;
}

NameFacts read_name(Grammar grammar, std::string_view demangled) {
  switch (grammar) {
    case Grammar::kNone:
      break;
    case Grammar::kPointers:
      return read_pointers(demangled);
    case Grammar::kNotInName: {
      NameFacts facts;
      facts.dtypes_known = true;
      return facts;
    }
    case Grammar::kNvjet:
      return read_nvjet(demangled);
    case Grammar::kXmma:
      return read_xmma(demangled);
    case Grammar::kCore:
      return read_core(demangled);
    case Grammar::kAligned:
      return read_aligned(demangled);
    case Grammar::kTile:
      return read_tile(demangled);
    case Grammar::kTrtllmGemm:
      return read_trtllm_gemm(demangled);
    case Grammar::kTemplates:
      return read_templates(demangled);
    case Grammar::kFlashTraits:
      return read_flash_traits(demangled);
  }
  return {};
}

}  // namespace prof::kernels
