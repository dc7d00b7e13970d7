// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See encoder.hpp.
#include "bert/encoder.hpp"

#include "bert/describe.hpp"
#include "common/kernels/pointwise.hpp"

namespace ref {
namespace {

std::string block_name(int number) { return "encoder." + std::to_string(number); }
std::string block_path(int number) { return "Enc_" + std::to_string(number); }

void append(std::vector<Parameter*>& all, const std::vector<Parameter*>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

EncoderBlock::Ending::Ending(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                             const std::string& path, const BertConfig& c, int in,
                             std::uint64_t stream, int dropout_layer)
    : out(gpu, terms, name + ".out", {{c.batch, c.length}, in, c.hidden},
          weight_initial(c, in, stream)),
      dropout(terms, name + ".dropout", {c.batch, c.length, c.hidden}, {c.dropout, c.seed},
              dropout_layer),
      norm(gpu, terms, name + ".norm", {c.batch, c.length}, c.hidden, c.seed, stream + 2),
      sum(volume(c.tokens(), c.hidden)),
      layer(path),
      norm_layer(path + ":LayerNorm") {}

const __half* EncoderBlock::Ending::forward(Gpu& gpu, const prof::OpText& add, const __half* x,
                                            const __half* residual, std::uint64_t step) {
  {
    const prof::Layer scope(layer);
    const __half* kept = dropout.forward(gpu, out.forward(gpu, x), step);
    const prof::Op op(add);
    ref::add(gpu.stream.get(), kept, residual, sum.data(), sum.size());
  }
  const prof::Layer scope(norm_layer);
  return norm.forward(gpu, sum.data());
}

EncoderBlock::EncoderBlock(Gpu& gpu, const GradientTerms& terms, int number, const BertConfig& c,
                           std::uint64_t stream, int dropout_layer)
    : c_(c),
      attention_(gpu, terms, block_name(number) + ".attention", block_path(number) + ":Attn", c,
                 stream, dropout_layer),
      attention_end_(gpu, terms, block_name(number) + ".attention",
                     block_path(number) + ":Attn:Output", c, c.hidden, stream + 6,
                     dropout_layer + 1),
      in_(gpu, terms, block_name(number) + ".ffn.in",
          {{c.batch, c.length}, c.hidden, c.intermediate, BiasForm::none},
          weight_initial(c, c.hidden, stream + 10)),
      gelu_(gpu, terms, block_name(number) + ".ffn.gelu", {c.batch, c.length}, c.intermediate,
            weight_initial(c, c.hidden, stream + 12)),
      ffn_end_(gpu, terms, block_name(number) + ".ffn", block_path(number) + ":FFN", c,
               c.intermediate, stream + 14, dropout_layer + 2),
      add_residual_({c.batch, c.length, c.hidden}, volume(c.tokens(), c.hidden),
                    terms.keep(block_name(number) + ".ffn.residual")),
      add_text_(sum_of({c.batch, c.length, c.hidden}).fprop()) {}

const __half* EncoderBlock::forward(Gpu& gpu, const __half* x, const __half* mask,
                                    std::uint64_t step) {
  x_ = x;
  context_ = attention_.forward(gpu, x, mask, step);
  attended_ = attention_end_.forward(gpu, add_text_, context_, x, step);
  return forward_ffn(gpu, attended_, step);
}

const __half* EncoderBlock::forward_ffn(Gpu& gpu, const __half* x, std::uint64_t step) {
  {
    const prof::Layer layer(ffn_end_.layer);
    inner_ = in_.forward(gpu, x);
    activated_ = gelu_.forward(gpu, inner_);
  }
  return ffn_end_.forward(gpu, add_text_, activated_, x, step);
}

const __half* EncoderBlock::backward(Gpu& gpu, const __half* dy) {
  const __half* dattended = backward_ffn(gpu, dy);
  const __half* dsum = nullptr;
  {
    const prof::Layer layer(attention_end_.norm_layer);
    dsum = attention_end_.norm.backward(gpu, attention_end_.sum.data(), dattended);
  }
  const __half* dcontext = nullptr;
  {
    const prof::Layer layer(attention_end_.layer);
    const __half* dout = attention_end_.dropout.backward(gpu, dsum);
    dcontext = attention_end_.out.backward(gpu, context_, dout);
  }
  return attention_.backward(gpu, x_, dcontext, dsum);
}

const __half* EncoderBlock::backward_ffn(Gpu& gpu, const __half* dy) {
  const __half* dsum = nullptr;
  {
    const prof::Layer layer(ffn_end_.norm_layer);
    dsum = ffn_end_.norm.backward(gpu, ffn_end_.sum.data(), dy);
  }
  const prof::Layer layer(ffn_end_.layer);
  const __half* dout = ffn_end_.dropout.backward(gpu, dsum);
  const __half* dactivated = ffn_end_.out.backward(gpu, activated_, dout);
  const __half* dinner = gelu_.backward(gpu, inner_, dactivated);
  return add_residual_.add(gpu, dsum, in_.backward(gpu, attended_, dinner));
}

std::vector<Parameter*> EncoderBlock::parameters() {
  std::vector<Parameter*> all = attention_.parameters();
  append(all, attention_end_.out.parameters());
  append(all, attention_end_.norm.parameters());
  append(all, in_.parameters());
  all.push_back(&gelu_.bias());
  append(all, ffn_end_.out.parameters());
  append(all, ffn_end_.norm.parameters());
  return all;
}

}  // namespace ref
