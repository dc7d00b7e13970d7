// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An encoder block: self-attention and a feed-forward network, each followed by dropout, a residual
// and a norm.
#pragma once

#include <string>

#include "bert/attention.hpp"

namespace ref {

/// Terms: NAME.attention (see SelfAttention), NAME.ffn.in.*, .gelu.*, .out.*; of both halves
/// .out.*, .dropout, .norm.*, .residual.
class EncoderBlock {
 public:
  /// Streams of random numbers and dropout layers that a block uses.
  static constexpr std::uint64_t kStreams = 24;
  static constexpr int kDropouts = 3;

  EncoderBlock(const BertSetup& setup, int number, std::uint64_t stream, int dropout);

  /// (batch, length, hidden) from x, of the same shape, which must stay valid until backward().
  const __half* forward(Gpu& gpu, const __half* x, const __half* mask, std::uint64_t step);
  /// The gradient of x; valid until the next call.
  const __half* backward(Gpu& gpu, const __half* dy);

 private:
  /// What ends each half of the block: a linear layer, dropout, residual and norm.
  struct Ending {
    Linear out;
    Dropout dropout;
    Norm norm;
    DeviceBuffer<__half> sum;
    prof::LayerText layer;

    Ending(const BertSetup& setup, const std::string& name, const std::string& path, int in,
           std::uint64_t stream, int number);
    const __half* forward(Gpu& gpu, const prof::OpText& add, const __half* x,
                          const __half* residual, std::uint64_t step);
  };

  EncoderBlock(const BertSetup& setup, const std::string& name, const std::string& path,
               std::uint64_t stream, int dropout);

  SelfAttention attention_;
  Ending attention_end_;
  Linear in_;
  BiasGelu gelu_;
  Ending ffn_end_;
  GradientSum add_residual_;
  prof::OpText add_text_;
  // Inputs needed by the backward pass.
  const __half* x_ = nullptr;
  const __half* context_ = nullptr;
  const __half* attended_ = nullptr;
  const __half* inner_ = nullptr;
  const __half* activated_ = nullptr;
};

}  // namespace ref
