// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pairs the GPUs of the two sides: each is compared with the one of the same rank and number.
// If each side has one GPU of a rank alone, or one in all, these two.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/compare/gpu_captures.hpp"

namespace prof::reports {

struct GpuPair {
  std::optional<std::uint32_t> rank;
  std::uint32_t device = 0;
  std::vector<const GpuCapture*> base, fresh;

  [[nodiscard]] std::string name() const;  ///< "rank 1, GPU 0".
};

struct GpuPairs {
  std::vector<GpuPair> both;
  std::vector<std::string> base_alone, fresh_alone;  ///< Names of GPUs with no partner.
};

/// The first `base_traces` traces are the base.
GpuPairs pair_gpus(const std::vector<std::unique_ptr<GpuCapture>>& captures,
                   std::size_t base_traces);

}  // namespace prof::reports
