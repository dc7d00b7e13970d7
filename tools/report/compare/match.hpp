// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matches the groups of the two sides.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tools/report/compare/step_groups.hpp"

namespace prof::reports {

/// Indices of the two sides; one is absent if the other side has no such group.
struct Match {
  std::optional<std::size_t> base, fresh;
  bool is_moved = false;  ///< The op and shapes are the same, but the layer is another.
};

/// Groups with equal keys match. A group that is left over matches a leftover with the same op,
/// direction and shapes in another layer, first come first. In the order of `base`, then of
/// `fresh`.
std::vector<Match> match_groups(std::span<const GroupKey* const> base,
                                std::span<const GroupKey* const> fresh);

}  // namespace prof::reports
