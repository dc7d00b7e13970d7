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

namespace {

using ByGpu = std::map<std::pair<std::optional<std::uint32_t>, std::uint32_t>, GpuPair>;

/// If each side has one of these GPUs alone, they are a pair: the second joins the first.
void join_last_two(ByGpu& by_gpu, const std::vector<ByGpu::iterator>& gpus) {
  std::vector<ByGpu::iterator> base, fresh;
  for (const auto& one : gpus) {
    if (one->second.fresh.empty()) base.push_back(one);
    if (one->second.base.empty()) fresh.push_back(one);
  }
  if (base.size() != 1 || fresh.size() != 1) return;
  base.front()->second.fresh = std::move(fresh.front()->second.fresh);
  by_gpu.erase(fresh.front());
}

}  // namespace

GpuPairs pair_gpus(const std::vector<std::unique_ptr<GpuCapture>>& captures,
                   std::size_t base_traces) {
  ByGpu by_gpu;
  for (const auto& capture : captures) {
    GpuPair& pair = by_gpu[{capture->rank, capture->device}];
    pair.rank = capture->rank;
    pair.device = capture->device;
    (capture->trace < base_traces ? pair.base : pair.fresh).push_back(capture.get());
  }
  std::map<std::optional<std::uint32_t>, std::vector<ByGpu::iterator>> by_rank;
  for (auto one = by_gpu.begin(); one != by_gpu.end(); ++one) {
    by_rank[one->first.first].push_back(one);
  }
  for (const auto& [rank, gpus] : by_rank) join_last_two(by_gpu, gpus);
  if (by_gpu.size() == 2) join_last_two(by_gpu, {by_gpu.begin(), std::prev(by_gpu.end())});
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
