// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts about losses. Pure; allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "libprof/base/count_text.hpp"
#include "libprof/model/losses.hpp"

namespace prof {

/// Null: a word of another version.
inline const LossInfo* find_loss(std::string_view word) {
  const auto* const found = std::ranges::find(kLossInfos, word, &LossInfo::word);
  return found == kLossInfos.end() ? nullptr : found;
}

/// "rows of a table that prof-import does not read".
inline std::string lost_things(const LossInfo& loss) {
  const bool hisses = loss.noun.ends_with('s') || loss.noun.ends_with('h');
  return std::string(loss.noun).append(hisses ? "es " : "s ").append(loss.text);
}

/// "1 row of a table that prof-import does not read".
inline std::string counted_loss(const LossInfo& loss, std::uint64_t count) {
  if (count != 1) return grouped(count).append(" ").append(lost_things(loss));
  return std::string("1 ").append(loss.noun).append(" ").append(loss.text);
}

}  // namespace prof
