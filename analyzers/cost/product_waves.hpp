// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// In how many waves a kernel computes a matrix product (docs/conventions.md, Wave efficiency). Pure
// function.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

struct ProductWaves {
  std::int64_t tiles = 0;  ///< Tiles of the result, for all products of the batch.
  std::int64_t slots = 0;  ///< Tiles that the device computes at once: a wave. Never 0.
};

/// Absent where either is not known, and where the kernel has only a part of the product.
std::optional<ProductWaves> product_waves(const Attribution& made, const LaunchConfig& launch,
                                          const DeviceRow& device);

}  // namespace prof
