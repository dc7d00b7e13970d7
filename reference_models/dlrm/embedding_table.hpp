// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One categorical feature: a table of fp32 vectors, looked up by index.
#pragma once

#include <prof/annotate.hpp>

#include "common/gradient_terms.hpp"
#include "common/kernels/embedding.hpp"
#include "common/parameter.hpp"

namespace ref {

/// Term: embedding.NUMBER.
class EmbeddingTable {
 public:
  struct Sizes {
    int count;  // lookups, one a sample
    std::int64_t rows;
    int dim;
  };

  EmbeddingTable(Gpu& gpu, const GradientTerms& terms, int number, const Sizes& sizes,
                 std::uint64_t seed, std::uint64_t stream);

  /// (count, dim); valid until the next call.
  const float* forward(Gpu& gpu, const std::int32_t* indices);

  /// `dout` (count, dim) has rows that begin every `dout_pitch` elements. The gradient must be
  /// zero.
  void backward(Gpu& gpu, const std::int32_t* indices, const float* dout, std::int64_t dout_pitch,
                EmbeddingGradientScratch& scratch);

  [[nodiscard]] const prof::LayerText& layer() const { return layer_; }
  [[nodiscard]] Parameter& weight() { return weight_; }

 private:
  Sizes sizes_;
  bool keep_;
  Parameter weight_;
  DeviceBuffer<float> out_;
  prof::LayerText layer_;
  prof::OpText forward_text_;
  prof::OpText backward_text_;
};

}  // namespace ref
