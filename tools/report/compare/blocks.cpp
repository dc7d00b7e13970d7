// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prof::reports {
namespace {

constexpr std::size_t kBlocks = 12;  // at least, as a test of a few values proves little

}  // namespace

std::size_t block_length(std::size_t steps) {
  const auto root = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(steps))));
  return std::max<std::size_t>(1, std::min(root, steps / kBlocks));
}

std::size_t block_count(std::size_t steps) { return steps / block_length(steps); }

std::vector<double> block_means(std::span<const double> steps) {
  const std::size_t length = block_length(steps.size());
  std::vector<double> means;
  for (std::size_t left = block_count(steps.size()); left > 0; --left) {
    const std::span<const double> block = left == 1 ? steps : steps.first(length);
    const double sum = std::accumulate(block.begin(), block.end(), 0.0);
    means.push_back(sum / static_cast<double>(block.size()));
    steps = steps.subspan(block.size());
  }
  return means;
}

}  // namespace prof::reports
