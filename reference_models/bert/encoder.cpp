// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See encoder.hpp.
#include "bert/encoder.hpp"

#include "common/kernels/pointwise.hpp"

namespace ref {

EncoderBlock::Ending::Ending(const BertSetup& s, const std::string& name, const std::string& path,
                             int in, std::uint64_t stream, int number)
    : out(s, name + ".out", {s.tokens(), in, s.config.hidden}, s.initial(in, stream)),
      dropout(s, name + ".dropout", s.hidden(), number),
      norm(s, name + ".norm", path + ":LayerNorm", stream + 2),
      sum(volume(s.config.tokens(), s.config.hidden)),
      layer(path) {}

const __half* EncoderBlock::Ending::forward(Gpu& gpu, const prof::OpText& add, const __half* x,
                                            const __half* residual, std::uint64_t step) {
  within(layer, [&] {
    const __half* kept = dropout.forward(gpu, out.forward(gpu, x), step);
    within(add, [&] { ref::add(gpu.stream, kept, residual, sum.data(), sum.size()); });
  });
  return norm.forward(gpu, sum.data());
}

EncoderBlock::EncoderBlock(const BertSetup& s, int number, std::uint64_t stream, int dropout)
    : EncoderBlock(s, "encoder." + std::to_string(number), "Enc_" + std::to_string(number), stream,
                   dropout) {}

EncoderBlock::EncoderBlock(const BertSetup& s, const std::string& name, const std::string& path,
                           std::uint64_t stream, int dropout)
    : attention_(s, name + ".attention", path + ":Attn", stream, dropout),
      attention_end_(s, name + ".attention", path + ":Attn:Output", s.config.hidden, stream + 6,
                     dropout + 1),
      in_(s, name + ".ffn.in", {s.tokens(), s.config.hidden, s.config.intermediate, BiasForm::none},
          s.initial(s.config.hidden, stream + 10)),
      gelu_(s, name + ".ffn.gelu", s.config.intermediate, stream + 12),
      ffn_end_(s, name + ".ffn", path + ":FFN", s.config.intermediate, stream + 14, dropout + 2),
      add_residual_(s.config, s.terms.keep(name + ".ffn.residual")),
      add_text_(sum_of(s.hidden()).fprop()) {}

const __half* EncoderBlock::forward(Gpu& gpu, const __half* x, const __half* mask,
                                    std::uint64_t step) {
  x_ = x;
  context_ = attention_.forward(gpu, x, mask, step);
  attended_ = attention_end_.forward(gpu, add_text_, context_, x, step);
  within(ffn_end_.layer, [&] {
    inner_ = in_.forward(gpu, attended_);
    activated_ = gelu_.forward(gpu, inner_);
  });
  return ffn_end_.forward(gpu, add_text_, activated_, attended_, step);
}

const __half* EncoderBlock::backward(Gpu& gpu, const __half* dy) {
  const __half* dsum = ffn_end_.norm.backward(gpu, ffn_end_.sum.data(), dy);
  const __half* dattended = within(ffn_end_.layer, [&] {
    const __half* dout = ffn_end_.dropout.backward(gpu, dsum);
    const __half* dactivated = ffn_end_.out.backward(gpu, activated_, dout);
    const __half* dinner = gelu_.backward(gpu, inner_, dactivated);
    return add_residual_.add(gpu, dsum, in_.backward(gpu, attended_, dinner));
  });
  dsum = attention_end_.norm.backward(gpu, attention_end_.sum.data(), dattended);
  const __half* dcontext = within(attention_end_.layer, [&] {
    return attention_end_.out.backward(gpu, context_, attention_end_.dropout.backward(gpu, dsum));
  });
  return attention_.backward(gpu, x_, dcontext, dsum);
}

}  // namespace ref
