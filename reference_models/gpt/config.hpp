// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a GPT-2 and of its training. The defaults are GPT-2 124M with 4 sequences of 1024
// tokens.
#pragma once

#include <string>
#include <vector>

#include "transformer/sizes.hpp"

namespace ref {

struct GptConfig : TransformerSizes {
  GptConfig()
      : TransformerSizes{.batch = 4, .length = 1024, .hidden = 768, .heads = 12, .layers = 12} {}

  int vocab = 50257;         // words
  int padded_vocab = 50304;  // rows of the embedding table: words, then rows that nothing uses
  int gelu_fusion = 2;       // 0 kernels of its own, 1 fused forward, 2 backward too
  bool recompute = true;     // GELU's output anew in the backward pass, where it is not fused
  float learning_rate = 3e-4f;
  float beta1 = 0.9f;
  float beta2 = 0.95f;
  float epsilon = 1e-8f;
  float weight_decay = 0.1f;    // of matrices, not of vectors
  float clip = 1;               // of the norm of all gradients
  float initial_scale = 0.02f;  // standard deviation of weights at first
  int validation = 2;           // passes before the counted steps
  int gpus = 1;
  bool graph = false;  // steps are replayed from a CUDA graph
};

/// Small enough that the CPU reference takes well under a second.
[[nodiscard]] GptConfig gpt_check_config();

/// Sizes and learning rate at which the model overfits one batch in some tens of steps.
[[nodiscard]] GptConfig gpt_overfit_config();

/// One line about what is wrong with the sizes; empty if nothing is.
[[nodiscard]] std::string find_mistake(const GptConfig& config);

/// The names of all contributions to the gradients, in the order of the backward pass.
[[nodiscard]] std::vector<std::string> gradient_term_names(const GptConfig& config);

}  // namespace ref
