// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/nearest.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "libprof/base/ascii.hpp"
#include "tools/common/words.hpp"

namespace prof::tools {
namespace {

/// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 200;
  const std::string wanted = lower(word.substr(0, kLongest));
  if (wanted.empty()) return std::nullopt;
  // A third of the letters may be wrong; of a short word, one.
  std::size_t least = std::max<std::size_t>(wanted.size() / 3, 1) + 1;
  std::optional<std::string_view> best;
  for (const std::string_view candidate : candidates) {
    const std::string name = lower(candidate.substr(0, kLongest));
    const bool begins = wanted.size() >= 2 && name.starts_with(wanted);
    // "--force-overwrite", "cuda_gpu_kern_sum:base".
    const bool goes_on = name.size() >= 3 && wanted.size() > name.size() &&
                         wanted.starts_with(name) &&
                         (wanted[name.size()] == '-' || wanted[name.size()] == ':');
    const std::size_t differs = begins || goes_on ? 0 : distance(wanted, name);
    if (differs < least) {
      least = differs;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  const auto name = nearest(word, candidates);
  return name ? "did you mean '" + std::string(*name) + "'?" : "";
}

}  // namespace prof::tools
