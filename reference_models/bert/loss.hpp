// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The loss of pre-training: the sum of both tasks' mean cross-entropies, in fp16 like the logits.
#pragma once

#include <string>

#include "bert/heads.hpp"
#include "common/kernels/cross_entropy.hpp"
#include "common/loss_scaler.hpp"

namespace ref {

/// Mean cross-entropy of a task. The caller names its term.
class TaskLoss {
 public:
  TaskLoss(const GradientTerms& terms, const std::string& term, const std::string& path, int rows,
           int classes);

  /// One fp16 number; valid until the next call.
  const __half* forward(Gpu& gpu, const __half* logits, const std::int32_t* targets);
  /// (rows, classes); valid until the next call.
  const __half* backward(Gpu& gpu, const __half* logits, const std::int32_t* targets,
                         const __half* dloss);

 private:
  [[nodiscard]] CrossEntropyState state();

  int rows_, classes_;
  bool keep_;
  DeviceBuffer<__half> loss_, dlogits_;
  DeviceBuffer<float> row_losses_, log_sums_, count_;
  prof::LayerText layer_;
  prof::OpText forward_text_, backward_text_;
};

/// Terms: mlm.loss, nsp.loss.
class PretrainingLoss {
 public:
  PretrainingLoss(const GradientTerms& terms, const BertConfig& config);

  void forward(Gpu& gpu, const BertHeads::Logits& logits, const std::int32_t* words,
               const std::int32_t* follows, LossScaler& scaler);
  /// The gradients of the logits, of the scaled loss.
  BertHeads::Logits backward(Gpu& gpu, const BertHeads::Logits& logits, const std::int32_t* words,
                             const std::int32_t* follows, LossScaler& scaler);

  /// The last forward()'s loss, unscaled. Waits for the stream; its copy is an op of its own.
  [[nodiscard]] float read(Gpu& gpu) const;

 private:
  TaskLoss words_, follows_;
  DeviceBuffer<__half> total_, dtotal_;
  DeviceBuffer<float> loss_, scaled_, dloss_;
  prof::LayerText layer_{"Total_Loss"};
  prof::OpText add_text_, cast_text_, cast_backward_text_, read_text_;
};

}  // namespace ref
