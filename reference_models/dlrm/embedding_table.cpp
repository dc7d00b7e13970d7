// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See embedding_table.hpp.
#include "dlrm/embedding_table.hpp"

#include <cmath>
#include <string>

namespace ref {

EmbeddingTable::EmbeddingTable(Gpu& gpu, const GradientTerms& terms, int number, const Sizes& s,
                               std::uint64_t seed, std::uint64_t stream)
    : sizes_(s),
      keep_(terms.keep("embedding." + std::to_string(number))),
      weight_(gpu, "embedding." + std::to_string(number), {s.rows, s.dim},
              Parameter::Precision::fp32,
              Initial{1.0f / std::sqrt(static_cast<float>(s.rows)), seed, stream}),
      out_(volume(s.count, s.dim)),
      layer_("Embedding_" + std::to_string(number)),
      forward_text_(prof::op("embedding")
                        .fprop()
                        .in("indices", {s.count}, prof::DType::int32)
                        .in("weight", {s.rows, s.dim}, prof::DType::float32)
                        .out("out", {s.count, s.dim}, prof::DType::float32)),
      backward_text_(prof::op("embedding")
                         .bprop()
                         .in("indices", {s.count}, prof::DType::int32)
                         .in("dout", {s.count, s.dim}, prof::DType::float32)
                         .in("dweight", {s.rows, s.dim}, prof::DType::float32)
                         .out("dweight", {s.rows, s.dim}, prof::DType::float32)
                         .attr("sorted", true)) {}

const float* EmbeddingTable::forward(Gpu& gpu, const std::int32_t* indices) {
  const prof::Op op(forward_text_);
  embedding(gpu.stream, indices, weight_.value(), out_.data(), sizes_.count, sizes_.dim);
  return out_.data();
}

void EmbeddingTable::backward(Gpu& gpu, const std::int32_t* indices, const float* dout,
                              std::int64_t dout_pitch, EmbeddingGradientScratch& scratch) {
  if (!keep_) return;
  const prof::Op op(backward_text_);
  embedding_gradient(gpu.stream, indices, dout, dout_pitch, weight_.grad(), sizes_.rows,
                     sizes_.count, sizes_.dim, scratch);
}

}  // namespace ref
