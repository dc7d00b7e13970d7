// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes that every transformer has.
#pragma once

#include <cstdint>

namespace ref {

struct TransformerSizes {
  int batch;   // sequences, on each GPU
  int length;  // tokens of a sequence
  int hidden;  // width of a token's vector
  int heads;   // of attention
  int layers;  // blocks
  std::uint64_t seed = 1;

  [[nodiscard]] int tokens() const { return batch * length; }
  [[nodiscard]] int head_size() const { return hidden / heads; }
};

}  // namespace ref
