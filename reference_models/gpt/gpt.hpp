// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPT-2 and one step of its training in bfloat16 with float masters, written like a plain CUDA
// program: parameters in one allocation, residual and norm fused, cublasLt with its epilogues, the
// gradient of the logits in place of the logits.
//
//   words -> wte_wpe -> h.0 -> h.1 -> ... -> ln_f -> lm_head -> loss
#pragma once

#include <deque>

#include "common/nccl.hpp"
#include "gpt/batch.hpp"
#include "gpt/block.hpp"
#include "gpt/classifier.hpp"
#include "gpt/embedding.hpp"
#include "gpt/optimizer.hpp"
#include "gpt/parameters.hpp"

namespace ref {

/// The model with its parameters, activations, gradients and optimizer on one GPU. Used by one
/// thread; calls only launch work, unless documented to wait, and allocate nothing. Throws
/// GpuError.
class Gpt {
 public:
  /// `gpu` must outlive the model, and so must `communicator`, over which gradients and losses are
  /// averaged; null: there is one GPU only.
  Gpt(Gpu& gpu, const GptConfig& config, const GradientTerms& terms = {},
      Communicator* communicator = nullptr);

  /// Forward, backward and update.
  void train_step(const Tokens& tokens);
  /// Forward and loss; changes nothing else.
  void validate(const Tokens& tokens);
  /// What the first update would do once, if there has been none; called before steps that must all
  /// be alike.
  void prepare();

  /// The loss of the last step, before its update, or of the last validation. Waits.
  [[nodiscard]] float loss() { return classifier_.read(context_); }

  [[nodiscard]] const GptParameters& parameters() const { return parameters_; }
  [[nodiscard]] const GptOptimizer& optimizer() const { return optimizer_; }

 private:
  void forward(const Tokens& tokens);
  void backward(const Tokens& tokens);
  void backward_head();
  void average_loss();
  [[nodiscard]] const __nv_bfloat16* residual_before(std::size_t block) const;

  GptContext context_;
  Communicator* communicator_;
  GptParameters parameters_;
  GptEmbedding embedding_;
  BlockOps ops_;
  std::deque<Block> blocks_;  // they do not move
  NormPlace ln_f_;
  Matmul lm_head_;
  Matmul::Place lm_head_place_;
  Classifier classifier_;
  GptOptimizer optimizer_;

  DeviceBuffer<__nv_bfloat16> embedded_, dresidual_;  // (batch, length, hidden)
  DeviceBuffer<__nv_bfloat16> logits_;                // (batch, length, padded_vocab)

  prof::LayerText ln_f_layer_{"ln_f"}, reduce_layer_{"Optimizer"};
  prof::OpText clear_text_, average_loss_text_, average_gradients_text_;
};

}  // namespace ref
