// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which elements the dropout layers of a step drop.
#pragma once

#include <cstdint>

#include "common/kernels/dropout.hpp"

namespace ref {

struct DropoutSource {
  float probability;
  std::uint64_t seed;

  /// The mask of layer number `layer` in step number `step`, both from 0.
  [[nodiscard]] DropoutMask mask(int layer, std::uint64_t step) const {
    constexpr std::uint64_t kStream = 1000000;  // far from those of parameters and batch
    constexpr std::uint64_t kLayers = 4096;
    return {probability, seed, kStream + step * kLayers + static_cast<std::uint64_t>(layer)};
  }
};

}  // namespace ref
