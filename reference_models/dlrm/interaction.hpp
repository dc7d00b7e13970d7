// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The feature interaction: the dot product of every pair of vectors, concatenated with the numeric
// features.
#pragma once

#include <prof/annotate.hpp>
#include <vector>

#include "common/device_buffer.hpp"
#include "common/gpu.hpp"
#include "common/gradient_terms.hpp"
#include "dlrm/config.hpp"

namespace ref {

/// Pairwise dot products: stack T (batch, vectors, dim), Z = T T^T, and of each Z the part below
/// the diagonal. Terms: interaction.index, interaction.left, interaction.right.
class Interaction {
 public:
  Interaction(const GradientTerms& terms, const DlrmConfig& config);

  /// (batch, pairs) from `vectors` tensors (batch, dim); valid until the next call.
  const float* forward(Gpu& gpu, const std::vector<const float*>& vectors);

  /// The gradient (batch, vectors, dim) of the stacked vectors. Row i of the pairs' gradient begins
  /// at i * pitch.
  const float* backward(Gpu& gpu, const float* dpairs, int pitch);

 private:
  struct Texts {
    prof::OpText cat, product, index, index_backward, left, right, add;
    explicit Texts(const DlrmConfig& config);
  };

  int batch_, vectors_, dim_, pairs_;
  bool keep_index_, keep_left_, keep_right_;
  DeviceBuffer<std::int32_t> lower_;      // positions in Z of the pairs
  DeviceBuffer<std::int32_t> positions_;  // the pair at each position of Z, or -1
  DeviceBuffer<float> stacked_, products_, out_;
  DeviceBuffer<float> dproducts_, dleft_, dright_, dstacked_;
  Texts texts_;
};

/// The top MLP's input: numeric vector, pairs, and one column of zeros that makes its width even.
/// Terms: concat.direct, concat.interaction.
class Concat {
 public:
  Concat(const GradientTerms& terms, const DlrmConfig& config);

  /// (batch, concat_width) from numeric (batch, dim) and pairs (batch, pairs).
  const float* forward(Gpu& gpu, const float* numeric, const float* pairs);

  /// The gradient (batch, dim) of the numeric vector, which it receives in two ways: from the
  /// concatenation directly, and as the first of the stacked vectors (batch, vectors, dim).
  const float* backward(Gpu& gpu, const float* dconcat, const float* dstacked);

 private:
  int batch_, vectors_, dim_, pairs_, width_;
  bool keep_direct_, keep_interaction_;
  DeviceBuffer<float> padding_, out_, dnumeric_, zero_row_;
  prof::OpText cat_text_;
  prof::OpText add_text_;
};

}  // namespace ref
