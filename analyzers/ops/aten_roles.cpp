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

constexpr std::string_view kUpdates[] = {"_amp_", "_fused_adam", "_fused_sgd", "_fused_adagrad"};

}  // namespace

bool is_preparation(std::string_view word) {
  return std::ranges::find(kPreparations, canonical_word(word)) != std::end(kPreparations);
}

bool is_aten(std::string_view word) { return word.starts_with("aten::"); }

bool is_update(std::string_view word) {
  word = without_namespace(word);
  return std::ranges::any_of(kUpdates,
                             [&](std::string_view start) { return word.starts_with(start); });
}

bool is_foreach(std::string_view word) { return without_namespace(word).starts_with("_foreach_"); }

}  // namespace prof::ops
