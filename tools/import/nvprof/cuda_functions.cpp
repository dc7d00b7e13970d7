// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nvprof/cuda_functions.hpp"

#include <algorithm>
#include <vector>

namespace prof::importers::nvprof {
namespace {

constexpr std::string_view kRuntimeFunctions =
#include "tools/import/nvprof/runtime_functions.inc"
    ;
constexpr std::string_view kDriverFunctions =
#include "tools/import/nvprof/driver_functions.inc"
    ;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, length);
    words.push_back(word == "-" ? "" : word);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return words;
}

std::string_view at(const std::vector<std::string_view>& names, std::uint32_t number) {
  return number < names.size() ? names[number] : "";
}

}  // namespace

std::string_view runtime_function(std::uint32_t number) {
  static const std::vector<std::string_view> names = words_of(kRuntimeFunctions);
  return at(names, number);
}

std::string_view driver_function(std::uint32_t number) {
  static const std::vector<std::string_view> names = words_of(kDriverFunctions);
  return at(names, number);
}

}  // namespace prof::importers::nvprof
