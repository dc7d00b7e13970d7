// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/gpu_pairs.hpp"

#include <map>
#include <utility>

namespace prof::reports {

std::string GpuPair::name() const {
  const std::string gpu = "GPU " + std::to_string(device);
  return rank ? "rank " + std::to_string(*rank) + ", " + gpu : gpu;
}

GpuPairs pair_gpus(const std::vector<std::unique_ptr<GpuCapture>>& captures,
                   std::size_t base_traces) {
  std::map<std::pair<std::optional<std::uint32_t>, std::uint32_t>, GpuPair> by_gpu;
  for (const auto& capture : captures) {
    GpuPair& pair = by_gpu[{capture->rank, capture->device}];
    pair.rank = capture->rank;
    pair.device = capture->device;
    (capture->trace < base_traces ? pair.base : pair.fresh).push_back(capture.get());
  }
  if (by_gpu.size() == 2) {
    GpuPair& first = by_gpu.begin()->second;
    GpuPair& second = by_gpu.rbegin()->second;
    if (first.fresh.empty() && second.base.empty()) {
      first.fresh = std::move(second.fresh);
      by_gpu.erase(std::prev(by_gpu.end()));
    } else if (first.base.empty() && second.fresh.empty()) {
      second.fresh = std::move(first.fresh);
      by_gpu.erase(by_gpu.begin());
    }
  }
  GpuPairs pairs;
  for (auto& [key, pair] : by_gpu) {
    if (pair.fresh.empty()) {
      pairs.base_alone.push_back(pair.name());
    } else if (pair.base.empty()) {
      pairs.fresh_alone.push_back(pair.name());
    } else {
      pairs.both.push_back(std::move(pair));
    }
  }
  return pairs;
}

}  // namespace prof::reports
