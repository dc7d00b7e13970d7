// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facebook's Deep Learning Recommendation Model and one step of its training, mixed precision: fp16
// MLPs with fp32 master weights, fp32 embeddings. Nothing is fused, so that every op is visible.
//
//   numeric ----> Bottom_MLP ----+----------------------------+
//                                +--> Interaction --> Concat <-+--> Top_MLP --> Loss
//   categorical -> Embedding_i --+
#pragma once

#include <cuda_fp16.h>

#include <deque>
#include <prof/annotate.hpp>
#include <vector>

#include "common/gpu.hpp"
#include "common/gradient_terms.hpp"
#include "common/loss_scaler.hpp"
#include "common/sgd.hpp"
#include "dlrm/batch.hpp"
#include "dlrm/config.hpp"
#include "dlrm/embedding_table.hpp"
#include "dlrm/interaction.hpp"
#include "dlrm/loss.hpp"
#include "dlrm/mlp.hpp"

namespace ref {

/// The model with its parameters, activations, gradients and optimizer. Used by one thread; calls
/// only launch work, unless documented to wait. Throws GpuError.
class Dlrm {
 public:
  /// `gpu` must outlive the model.
  Dlrm(Gpu& gpu, const DlrmConfig& config, const GradientTerms& terms = {});

  /// Forward, backward and update on one batch of the config's size.
  void train_step(const Batch& batch);

  /// The loss of the last step, before its update. Waits.
  [[nodiscard]] float loss();

  /// All parameters, bottom MLP first, then the embeddings, then the top MLP.
  [[nodiscard]] std::vector<Parameter*> parameters();

 private:
  /// The parameters that one layer updates.
  struct Group {
    const prof::LayerText* layer;
    std::vector<Parameter*> parameters;
  };

  struct Layers {
    prof::LayerText input{"Input"}, bottom{"Bottom_MLP"}, interaction{"Interaction"};
    prof::LayerText concat{"Concat"}, top{"Top_MLP"}, loss{"Loss"};
  };

  /// Type conversions between the fp16 MLPs and the fp32 rest.
  struct Casts {
    prof::OpText numeric, bottom_out, indices, concat, logits;
    prof::OpText logits_backward, concat_backward, bottom_out_backward;
    explicit Casts(const DlrmConfig& config);
  };

  void forward(const Batch& batch);
  void zero_gradients();
  void backward(const Batch& batch);
  void update();

  void forward_bottom(const Batch& batch);
  void forward_top();
  const float* backward_top(const float* dlogits);
  void backward_bottom(const float* dnumeric);
  [[nodiscard]] const std::int32_t* indices(std::size_t table) const;
  [[nodiscard]] std::vector<Group> groups();

  Gpu& gpu_;
  DlrmConfig config_;
  std::deque<Parameter> parameters_;  // of the MLPs
  Mlp bottom_;
  Mlp top_;
  std::vector<EmbeddingTable> tables_;
  Interaction interaction_;
  Concat concat_;
  ClickLoss loss_;
  LossScaler scaler_;
  Sgd sgd_;
  EmbeddingGradientScratch embedding_scratch_;

  // Casts' results, and what passes between layers.
  DeviceBuffer<std::int32_t> indices_;                 // (embeddings, batch)
  DeviceBuffer<__half> numeric_half_, concat_half_;    // inputs of the MLPs
  DeviceBuffer<float> bottom_out_, logits_, dconcat_;  // fp32 sides of the MLPs
  DeviceBuffer<__half> dbottom_half_, dlogits_half_;   // fp16 gradients that enter the MLPs
  const float* concat_out_ = nullptr;

  Layers layers_;
  Casts casts_;
};

}  // namespace ref
