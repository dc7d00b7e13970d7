// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// nearest(): the name that a mistyped word most likely means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace prof::tools {

/// The candidate with the fewest insertions, deletions, replacements and swaps of neighbors, or of
/// which `word` is the beginning, or which `word` goes on after with '-' or ':'. Nullopt if all
/// differ too much. Case does not matter.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

/// "did you mean 'NAME'?", or "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace prof::tools
