// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The matrix products of attention, forward and backward: each a batched product over all heads of
// all sequences, and an op of its own.
#pragma once

#include "common/blas.hpp"
#include "common/describe.hpp"
#include "common/device_buffer.hpp"
#include "common/gpu.hpp"
#include "transformer/sizes.hpp"

namespace ref {

/// Of queries, keys and values, a head's rows together.
[[nodiscard]] inline prof::Dims head_shape(const TransformerSizes& s) {
  return {s.batch, s.heads, s.length, s.head_size()};
}
[[nodiscard]] inline prof::Dims score_shape(const TransformerSizes& s) {
  return {s.batch, s.heads, s.length, s.length};
}

/// out = op(a) op(b), of matrices (length, head size) or (length, length) each.
class HeadProduct {
 public:
  HeadProduct(prof::OpText text, const BatchedSizes& sizes)
      : text_(std::move(text)), sizes_(sizes) {}

  /// `device` has `stream` and `blas`. A test omits the product: zeros, if `keep` is false.
  template <typename Device, typename T>
  void run(Device& device, const T* a, const T* b, T* out, bool keep = true) const {
    const prof::Op op(text_);
    if (keep) {
      device.blas.batched(sizes_, a, b, out);
    } else {
      clear(device.stream, out, volume(sizes_.m, sizes_.n, sizes_.batch));
    }
  }

 private:
  prof::OpText text_;
  BatchedSizes sizes_;
};

struct AttentionProducts {
  AttentionProducts(const TransformerSizes& sizes, prof::DType type);

  HeadProduct scores;         // queries keys^T
  HeadProduct context;        // probabilities values
  HeadProduct probabilities;  // their gradient: dcontext values^T
  HeadProduct values;         // likewise: probabilities^T dcontext
  HeadProduct queries;        // dscores keys
  HeadProduct keys;           // dscores^T queries
};

}  // namespace ref
