// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The sizes of a BERT and of its pre-training. The defaults are the step of phase 1 that PyProf's
// table of BERT shows: two of the large model's encoder blocks, 4 sequences of 128 tokens.
#pragma once

#include <string>
#include <vector>

#include "transformer/sizes.hpp"

namespace ref {

struct BertConfig : TransformerSizes {
  BertConfig()
      : TransformerSizes{.batch = 4, .length = 128, .hidden = 1024, .heads = 16, .layers = 2} {}

  int intermediate = 4096;  // width between the two linear layers of a block
  int vocabulary = 30528;   // words, padded to a multiple of 64
  int max_positions = 512;  // rows of the position table
  int segments = 2;         // kinds of segments: first and second sentence
  float dropout = 0.1f;     // probability that an element is left out
  float learning_rate = 1e-3f;
  float loss_scale = 1024;
};

/// Small enough for the double-precision reference, with every kind of term.
[[nodiscard]] BertConfig bert_check_config();

/// Sizes and learning rate at which the model overfits one batch in some tens of steps.
[[nodiscard]] BertConfig bert_overfit_config();

/// One line about what is wrong with the sizes; empty if nothing is.
[[nodiscard]] std::string find_mistake(const BertConfig& config);

/// The names of all contributions to the gradients, in the order of the backward pass. The bias of
/// the keys is not among them: it adds the same to all scores of a row, which softmax cancels, so
/// that its gradient is zero with or without the term.
[[nodiscard]] std::vector<std::string> gradient_term_names(const BertConfig& config);

}  // namespace ref
