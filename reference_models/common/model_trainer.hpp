// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ModelTrainer: a Trainer of a model that trains on one batch and lists its parameters.
#pragma once

#include <cstdint>

#include "common/checksum.hpp"
#include "common/workload.hpp"

namespace ref {

/// `Model(Gpu&, config)` with train_step(batch), loss() and parameters(), pointers to objects with
/// a value(); `Batch` is constructed from one on the host.
template <typename Model, typename Batch>
class ModelTrainer final : public Trainer {
 public:
  template <typename Config, typename HostBatch>
  ModelTrainer(Gpu& gpu, const Config& config, const HostBatch& batch)
      : batch_(batch), model_(gpu, config) {}

  void train_step() override { model_.train_step(batch_); }
  float loss() override { return model_.loss(); }
  std::uint64_t checksum() override {
    Checksum sum;
    for (const auto* parameter : model_.parameters()) sum.add(parameter->value());
    return sum.value();
  }

 private:
  Batch batch_;
  Model model_;
};

}  // namespace ref
