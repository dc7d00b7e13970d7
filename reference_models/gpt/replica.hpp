// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One GPU's copy of the model with its share of the batch.
#pragma once

#include <vector>

#include "gpt/batch.hpp"
#include "gpt/gpt.hpp"

namespace ref {

/// A captured step.
class StepGraph {
 public:
  StepGraph() = default;
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// Captures what `work` launches on `stream`, without executing it.
  template <typename Work>
  void capture(cudaStream_t stream, const Work& work) {
    // Relaxed: libraries may load kernels at their first launch.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    work();
    end_capture(stream);
  }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream)); }
  [[nodiscard]] bool captured() const { return executable_ != nullptr; }

 private:
  void end_capture(cudaStream_t stream);

  cudaGraphExec_t executable_ = nullptr;
};

/// Used by one thread, whose current device is `gpu`'s. Calls launch work and do not wait, unless
/// documented to. Throws GpuError.
class Replica {
 public:
  /// `gpu` and `communicator` must outlive it; communicator is null if there is one GPU.
  Replica(Gpu& gpu, const GptConfig& config, Communicator* communicator, int rank);

  /// Validation passes, what only the first step would do, and the capture of a step if steps are
  /// to be replayed.
  void before_steps();
  void train_step();
  /// In the range `Train step NUMBER`.
  void counted_step(int number);
  [[nodiscard]] float loss() { return model_.loss(); }
  /// A hash of parameters and masters. Waits.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  void validate();

  Gpu& gpu_;
  bool replays_;
  Tokens tokens_;
  std::vector<Tokens> validation_;  // a batch for each pass
  Gpt model_;
  StepGraph graph_;
};

}  // namespace ref
