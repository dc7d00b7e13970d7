// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Training on one or several GPUs: a replica and a thread for each. Each has its own batch;
// gradients and losses are averaged.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/nccl.hpp"
#include "common/workload.hpp"
#include "gpt/replica.hpp"

namespace ref {

/// The first replica works on the calling thread, which must always be the same.
class DataParallel final : public Trainer {
 public:
  /// `gpu`, of device 0, must outlive it. Throws GpuError, or std::runtime_error if there are too
  /// few GPUs or no NCCL.
  DataParallel(Gpu& gpu, const GptConfig& config);
  ~DataParallel() override;
  DataParallel(const DataParallel&) = delete;
  DataParallel& operator=(const DataParallel&) = delete;

  void before_steps() override;
  void train_step() override;
  /// Step numbers start at 1, those in ranges at 0.
  void counted_step(int number) override;
  /// The mean over all GPUs.
  float loss() override { return first_->loss(); }
  /// Throws std::runtime_error if the GPUs' parameters differ.
  std::uint64_t checksum() override;

 private:
  class Worker;

  /// Calls `work` for each replica on its thread; returns when all have returned, and throws what
  /// one of them threw.
  void on_each(const std::function<void(Replica&)>& work);

  std::vector<Communicator> communicators_;
  std::vector<std::unique_ptr<Worker>> workers_;  // of all ranks but the first
  std::unique_ptr<Replica> first_;
};

}  // namespace ref
