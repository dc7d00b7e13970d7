// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See config.hpp.
#include "gpt/config.hpp"

#include <cmath>
#include <limits>

#include "common/kernels/softmax.hpp"

namespace ref {
namespace {

bool too_large(std::int64_t a, std::int64_t b) {
  return a * b > std::numeric_limits<std::int32_t>::max();
}

std::string find_size_mistake(const GptConfig& c) {
  if (c.batch < 1) return "--batch must be 1 or more";
  if (c.length < 8 || c.length % 8 != 0) return "--seq must be a multiple of 8";
  if (c.length > kMaxSoftmaxCols) return "--seq must be 2048 at most";
  if (c.layers < 1 || c.layers > 1000) return "--layers must be 1 to 1000";
  if (c.heads < 1) return "--heads must be 1 or more";
  if (c.hidden < 8 || c.hidden % c.heads != 0 || c.head_size() % 8 != 0) {
    return "--channels must be a multiple of 8 times --heads";
  }
  if (c.vocab < 2) return "--vocab must be 2 or more";
  if (c.padded_vocab < c.vocab || c.padded_vocab % 8 != 0) {
    return "--padded-vocab must be a multiple of 8 and at least --vocab";
  }
  // Kernels count in 32 bits; the largest tensors are logits, probabilities and the stacked
  // weights.
  if (too_large(c.tokens(), c.padded_vocab) || too_large(c.tokens(), 4LL * c.hidden) ||
      too_large(std::int64_t{c.batch} * c.heads, std::int64_t{c.length} * c.length) ||
      too_large(c.padded_vocab, c.hidden)) {
    return "--batch times --seq times the widest layer must stay below 2^31 elements";
  }
  return {};
}

}  // namespace

GptConfig gpt_check_config() {
  GptConfig config;
  config.batch = 2;
  config.length = 16;
  config.layers = 2;
  config.hidden = 32;
  config.heads = 4;
  config.vocab = 61;
  config.padded_vocab = 64;
  config.initial_scale = 0.2f;   // scores that tell one token from another
  config.learning_rate = 1e-2f;  // updates that bf16 can tell from none
  config.clip = 0.1f;            // less than the norm, so that it shows
  return config;
}

GptConfig gpt_overfit_config() {
  GptConfig config = gpt_check_config();
  config.hidden = 128;
  config.initial_scale = 0.05f;
  config.learning_rate = 3e-3f;
  return config;
}

std::string find_mistake(const GptConfig& c) {
  if (std::string mistake = find_size_mistake(c); !mistake.empty()) return mistake;
  if (c.gelu_fusion < 0 || c.gelu_fusion > 2) return "--gelu-fusion must be 0, 1 or 2";
  if (!std::isfinite(c.learning_rate) || c.learning_rate < 0) return "--lr must be 0 or more";
  if (!std::isfinite(c.weight_decay) || c.weight_decay < 0) {
    return "--weight-decay must be 0 or more";
  }
  if (!std::isfinite(c.clip) || c.clip <= 0) return "--clip must be above 0";
  if (c.validation < 0) return "--validation must be 0 or more";
  if (c.gpus < 1 || c.gpus > 64) return "--gpus must be 1 to 64";
  return {};
}

std::vector<std::string> gradient_term_names(const GptConfig& c) {
  std::vector<std::string> names = {"loss.gradient",  "loss.mean", "lm_head.data",
                                    "lm_head.weight", "ln_f.data", "ln_f.weight",
                                    "ln_f.bias"};
  for (int i = c.layers - 1; i >= 0; --i) {
    const std::string layer = "h." + std::to_string(i) + ".";
    for (const char* term :
         {"mlp.c_proj.bias",  "mlp.c_proj.data",    "mlp.gelu",           "mlp.c_proj.weight",
          "mlp.c_fc.bias",    "mlp.c_fc.data",      "mlp.c_fc.weight",    "mlp.residual",
          "ln_2.data",        "ln_2.weight",        "ln_2.bias",          "attn.c_proj.bias",
          "attn.c_proj.data", "attn.c_proj.weight", "attn.probabilities", "attn.value",
          "attn.softmax",     "attn.query",         "attn.key",           "attn.c_attn.bias",
          "attn.c_attn.data", "attn.c_attn.weight", "attn.residual",      "ln_1.data",
          "ln_1.weight",      "ln_1.bias"}) {
      names.push_back(layer + term);
    }
  }
  names.insert(names.end(), {"wpe", "wte", "clip"});
  return names;
}

}  // namespace ref
