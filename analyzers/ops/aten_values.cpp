// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/aten_values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace prof::ops {
namespace {

// By torch's numbers; empty: not known here.
constexpr std::string_view kReductions[] = {"none", "mean", "sum"};
constexpr std::string_view kBagModes[] = {"sum", "mean", "max"};
constexpr std::string_view kTypes[] = {
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "",
    "complex64",
    "complex128",
    "bool",
    "",
    "",
    "",
    "bfloat16",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "float8_e8m0fnu",
    "float4_e2m1fn_x2",
};

struct Enumeration {
  std::string_view name;
  std::span<const std::string_view> words;
};
constexpr std::array kEnumerations = {
    Enumeration{"reduction", kReductions},
    Enumeration{"mode", kBagModes},
    Enumeration{"dtype", kTypes},
};

}  // namespace

std::optional<AttrValue> aten_value(std::string_view name, const AttrValue& value) {
  const auto* const known = std::ranges::find(kEnumerations, name, &Enumeration::name);
  const auto* const number = std::get_if<std::int64_t>(&value);
  if (known == kEnumerations.end() || number == nullptr) return value;
  if (*number < 0 || *number >= static_cast<std::int64_t>(known->words.size())) return std::nullopt;
  const std::string_view word = known->words[static_cast<std::size_t>(*number)];
  return word.empty() ? std::nullopt : std::optional<AttrValue>(std::string(word));
}

}  // namespace prof::ops
