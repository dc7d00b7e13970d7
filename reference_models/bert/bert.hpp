// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's BERT and one step of its pre-training, mixed precision: fp16 layers with fp32 master
// weights. Only the bias is fused, with the GELU, so that every op is visible.
//
//   tokens, segments --> Embedding --> Enc_0 --> Enc_1 --+--> NSP ---------> Next_Sent_Loss --+
//   mask ---------------------------- ^ ------- ^        +--> Masked_LM --> Masked_LM_Loss --+-->
//                                                                                     Total_Loss
#pragma once

#include <deque>
#include <vector>

#include "bert/batch.hpp"
#include "bert/embeddings.hpp"
#include "bert/encoder.hpp"
#include "bert/heads.hpp"
#include "bert/loss.hpp"
#include "common/lamb.hpp"

namespace ref {

/// The model with its parameters, activations, gradients and optimizer. Used by one thread; calls
/// only launch work, unless documented to wait. Throws GpuError.
class Bert {
 public:
  /// `gpu` must outlive the model.
  Bert(Gpu& gpu, const BertConfig& config, const GradientTerms& terms = {});

  /// Forward, backward and update on one batch of the config's size.
  void train_step(const BertBatch& batch);

  /// The loss of the last step, before its update. Waits.
  [[nodiscard]] float loss() { return loss_.read(gpu_); }
  /// The norm of its gradients, unscaled and before clipping. Waits.
  [[nodiscard]] float grad_norm() const { return optimizer_.grad_norm(); }

  /// All parameters, in the order of the forward pass.
  [[nodiscard]] std::vector<Parameter*> parameters();

 private:
  void forward_mask(const BertBatch& batch);
  void forward(const BertBatch& batch);
  void backward(const BertBatch& batch);
  void update();

  Gpu& gpu_;
  std::deque<Parameter> parameters_;
  BertEmbeddings embeddings_;
  std::deque<EncoderBlock> blocks_;
  BertHeads heads_;
  PretrainingLoss loss_;
  LossScaler scaler_;
  Lamb optimizer_;
  DeviceBuffer<__half> mask_;  // (batch, length): 0, or -10000 for padding
  BertHeads::Logits logits_{};
  std::uint64_t steps_ = 0;
  prof::LayerText mask_layer_{"Attention_Mask"}, optimizer_layer_{"Optimizer"};
  prof::OpText cast_mask_text_, subtract_mask_text_, scale_mask_text_;
};

}  // namespace ref
