// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See parameters.hpp.
#include "gpt/parameters.hpp"

#include <cmath>
#include <utility>

#include "common/kernels/fill.hpp"

namespace ref {
namespace {

// Biases start at random, too: at 0, a forward pass that forgot them would look right.
class Describer {
 public:
  explicit Describer(const GptConfig& config) : config_(config) {}

  std::vector<GptTensorInfo> run() {
    const int c = config_.hidden;
    const float weight = config_.initial_scale * std::sqrt(3.0f);  // of that standard deviation
    // Added to the residual stream once per block; scaled so that the sum keeps its size.
    const float residual = weight / std::sqrt(2.0f * static_cast<float>(config_.layers));
    add("wte", {config_.padded_vocab, c}, weight);
    add("wpe", {config_.length, c}, weight);
    add_norm("ln_1");
    add_linear("attn.c_attn", 3 * c, c, weight);
    add_linear("attn.c_proj", c, c, residual);
    add_norm("ln_2");
    add_linear("mlp.c_fc", 4 * c, c, weight);
    add_linear("mlp.c_proj", c, 4 * c, residual);
    add_vector("ln_f.weight", {c}, 0, 1);
    add_vector("ln_f.bias", {c}, 0, 0);
    return std::move(tensors_);
  }

 private:
  void add(const std::string& name, const prof::Dims& shape, float scale) {
    append({name, shape, 0, 0, 0, true, 0, scale});
  }
  void add_vector(const std::string& name, const prof::Dims& shape, std::size_t stride,
                  float center) {
    append({name, shape, 0, 0, stride, false, center, config_.initial_scale});
  }
  void add_norm(const std::string& name) {
    const auto channels = static_cast<std::size_t>(config_.hidden);
    add_vector(name + ".weight", {config_.layers, config_.hidden}, channels, 1);
    add_vector(name + ".bias", {config_.layers, config_.hidden}, channels, 0);
  }
  void add_linear(const std::string& name, int out, int in, float scale) {
    append({name + ".weight", {config_.layers, out, in}, 0, 0, volume(out, in), true, 0, scale});
    add_vector(name + ".bias", {config_.layers, out}, volume(out), 0);
  }
  void append(GptTensorInfo info) {
    info.size = static_cast<std::size_t>(elements(info.shape));
    info.offset = tensors_.empty() ? 0 : tensors_.back().offset + tensors_.back().size;
    tensors_.push_back(std::move(info));
  }

  const GptConfig& config_;
  std::vector<GptTensorInfo> tensors_;
};

}  // namespace

std::vector<GptTensorInfo> describe_tensors(const GptConfig& config) {
  return Describer(config).run();
}

GptParameters::GptParameters(GptContext& context, const GptConfig& config)
    : tensors_(describe_tensors(config)),
      values_(tensors_.back().offset + tensors_.back().size),
      gradients_(values_.size()) {
  std::uint64_t stream_id = 0;
  for (const GptTensorInfo& tensor : tensors_) {
    fill_random(context.stream, values_.data() + tensor.offset, tensor.size, tensor.center,
                tensor.scale, config.seed, stream_id++);
  }
}

LayerWeights<__nv_bfloat16> GptParameters::weights(GptTensor tensor, int block) {
  const auto number = static_cast<std::size_t>(tensor);
  const auto offset = [&](std::size_t i) {
    return tensors_[i].offset + tensors_[i].stride * static_cast<std::size_t>(block);
  };
  // Tables have no bias.
  const std::size_t bias = tensor <= GptTensor::wpe ? number : number + 1;
  return {values_.data() + offset(number), values_.data() + offset(bias),
          gradients_.data() + offset(number), gradients_.data() + offset(bias)};
}

}  // namespace ref
