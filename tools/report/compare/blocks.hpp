// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that follow each other resemble each other: the GPU is as warm, its clocks are the same. A
// test that takes each for a fact of its own finds differences where there are none. Means of
// blocks of steps depend on each other far less (Künsch 1989).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace prof::reports {

/// Steps in a block: the cube root of their number (Hall, Horowitz and Jing 1995), but at least a
/// dozen blocks remain; under 24 steps each is a block.
std::size_t block_length(std::size_t steps);

/// How many blocks there are of so many steps.
std::size_t block_count(std::size_t steps);

/// The means of the blocks. What is left of the steps joins the last block.
std::vector<double> block_means(std::span<const double> steps);

}  // namespace prof::reports
