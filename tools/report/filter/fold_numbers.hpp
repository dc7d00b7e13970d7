// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers that a model repeats differ in a number: h.0 to h.11, "Layer 0", block_0, Block#2,
// blocks[3], layer0. For people they are one layer, h.*.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace prof::reports {

/// The paths with '*' for each number that numbers layers:
/// - one by itself, as in h.0 and "Layer 0", if others stand at its place;
/// - one that ends a name, as in block_0 and layer0, if others there have the same layers inside,
/// or
///   if those without layers inside count from 0, or are four or more in a row. So ln_1 and ln_2
///   stay, and fp16 does.
std::vector<std::string> fold_numbers(std::span<const std::string_view> paths);

}  // namespace prof::reports
