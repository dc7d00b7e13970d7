// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Levels: loops inside of loops. Layers repeat within a step, tokens within a batch, steps within
// an epoch; which of them is the step follows from what its turns do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzers/loops/loop.hpp"

namespace prof::loops {

/// The best loop of each period, by period, without those that merely repeat a smaller one.
std::vector<Loop> levels_of(const Sequence& sequence, std::vector<Loop> loops);

/// What the ranges around a launch say about its layer; 0: nothing.
using LayerOf = std::function<std::uint64_t(RangeId stack)>;

/// The level that is the program's step, by its index. None: nothing repeats that is a good part
/// of the program. A program that updates weights, the last time at `last_update_ns`, trains: its
/// step is the smallest level that does so in every turn, or else what follows the last update.
/// That of another program is the smallest level that copies results back, or else the widest.
std::optional<std::size_t> choose_step(const Sequence& sequence, const std::vector<Loop>& levels,
                                       std::optional<std::int64_t> last_update_ns,
                                       const LayerOf& layer_of);

}  // namespace prof::loops
