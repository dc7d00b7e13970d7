// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/aten_roles.hpp"

#include <algorithm>

#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

constexpr std::string_view kPreparations[] = {
    "to",   "_to_copy", "copy", "clone",      "contiguous", "reshape",   "fill",
    "zero", "zeros",    "full", "zeros_like", "ones_like",  "new_zeros",
};

/// Of these, the ones that only write a constant.
constexpr std::string_view kFills[] = {"fill",       "zero",      "zeros",    "full",
                                       "zeros_like", "ones_like", "new_zeros"};
/// A tensor's methods that convert its elements.
constexpr std::string_view kCasts[] = {"float", "double",  "half",   "bfloat16", "long",
                                       "int",   "short",   "char",   "byte",     "bool",
                                       "type",  "type_as", "cfloat", "cdouble"};

constexpr std::string_view kUpdates[] = {"_amp_", "_fused_adam", "_fused_sgd", "_fused_adagrad"};

template <typename Words>
bool has_canonical(const Words& words, std::string_view word) {
  return std::ranges::find(words, canonical_word(word)) != std::end(words);
}

}  // namespace

bool is_preparation(std::string_view word) {
  return has_canonical(kPreparations, word) || has_canonical(kCasts, word);
}

bool is_fill(std::string_view word) { return has_canonical(kFills, word); }

bool is_aten(std::string_view word) { return word.starts_with("aten::"); }

bool is_update(std::string_view word) {
  word = without_namespace(word);
  return std::ranges::any_of(kUpdates,
                             [&](std::string_view start) { return word.starts_with(start); });
}

bool is_foreach(std::string_view word) { return without_namespace(word).starts_with("_foreach_"); }

}  // namespace prof::ops
