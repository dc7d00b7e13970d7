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
/// - one that is a word of its own, if others stand at its place;
/// - one that ends a word, as in layer0, if others there have the same layers inside, or if four or
///   more without layers inside count from 0 or 1. So fc1 and fc2 stay, as do conv2d and fp16.
std::vector<std::string> fold_numbers(std::span<const std::string_view> paths);

}  // namespace prof::reports
