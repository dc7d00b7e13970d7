// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The input of the first encoder block: for each token the sum of the word's, the position's and
// the segment's vectors, with norm and dropout.
#pragma once

#include <string>

#include "bert/layers.hpp"
#include "common/kernels/embedding.hpp"

namespace ref {

/// A table of fp16 vectors, looked up by (batch, length) indices; a layer of its own. Term: NAME.
class LookupTable {
 public:
  LookupTable(const BertSetup& setup, const std::string& name, const std::string& layer, int rows,
              std::uint64_t stream);

  /// (batch, length, hidden); valid until the next call.
  const __half* forward(Gpu& gpu, const std::int32_t* indices);
  /// The same for every sequence: `row` (length) is first repeated into `indices`.
  const __half* forward_repeated(Gpu& gpu, const std::int32_t* row, std::int32_t* indices);
  /// Adds up the rows of `dout` into dweight, which must be zero.
  void backward(Gpu& gpu, const std::int32_t* indices, const __half* dout, __half* dweight,
                EmbeddingGradientScratch& scratch);
  /// An op that zeroes a gradient of this table. The caller opens the layer.
  void zero(Gpu& gpu, __half* dweight);

  [[nodiscard]] Parameter& weight() { return weight_; }
  [[nodiscard]] const prof::LayerText& layer() const { return layer_; }

 private:
  void look_up(Gpu& gpu, const std::int32_t* indices);

  int batch_, count_, rows_, width_;
  bool keep_;
  Parameter& weight_;
  DeviceBuffer<__half> out_;
  prof::LayerText layer_;
  prof::OpText forward_text_, backward_text_, zero_text_;
};

/// Terms: embedding.token, .position, .segment, .norm.*, .dropout.
class BertEmbeddings {
 public:
  BertEmbeddings(const BertSetup& setup, std::uint64_t stream, int dropout);

  /// (batch, length, hidden) from tokens and segments (batch, length).
  const __half* forward(Gpu& gpu, const std::int32_t* tokens, const std::int32_t* segments,
                        std::uint64_t step);

  /// Before backward(); the caller opens the layer.
  void zero_gradients(Gpu& gpu);
  /// Adds the words' gradient to the one that the table already has as the decoder's weight.
  void backward(Gpu& gpu, const std::int32_t* tokens, const std::int32_t* segments,
                const __half* dy);

  [[nodiscard]] Parameter& token_weight() { return token_.weight(); }

 private:
  int length_;
  LookupTable token_, position_, segment_;
  Norm norm_;
  Dropout dropout_;
  EmbeddingGradientScratch scratch_;
  DeviceBuffer<std::int32_t> range_, positions_;  // (length), (batch, length)
  DeviceBuffer<__half> partial_, total_;
  DeviceBuffer<__half> dtoken_;  // of the words as inputs
  prof::LayerText layer_{"Embedding"}, total_layer_{"Embedding:Total"};
  prof::OpText arange_text_, add_text_, tie_text_;
};

}  // namespace ref
