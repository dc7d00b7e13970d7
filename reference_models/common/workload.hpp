// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The common frame of the reference programs: a workload describes a model, run_workload() is the
// program around it. Options, progress, --check, --overfit, --deterministic and --ledger are the
// same for all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/gpu.hpp"
#include "common/ledger.hpp"
#include "tools/common/command_line.hpp"

namespace ref {

/// A model on the GPU with its batch and optimizer. Used by one thread. Throws GpuError.
class Trainer {
 public:
  virtual ~Trainer() = default;
  /// What precedes the first counted step, for example a validation pass.
  virtual void before_steps() {}
  /// Launches forward, backward and update on the one batch; does not wait.
  virtual void train_step() = 0;
  /// The same inside a numbered range. By default `step:NUMBER`.
  virtual void counted_step(int number);
  /// The loss of the last step, before its update. Waits.
  [[nodiscard]] virtual float loss() = 0;
  /// A hash of the bits of all parameters. Waits.
  [[nodiscard]] virtual std::uint64_t checksum() = 0;
};

/// What a step processes, for the progress line.
struct Throughput {
  double per_step;
  std::string_view unit;  // "samples", "tokens"
};

/// The criterion for a run that overfits its one batch.
struct Overfit {
  int steps;
  double ratio;  // the last loss must be below this share of the first
};

class Workload {
 public:
  virtual ~Workload() = default;

  [[nodiscard]] virtual std::string program() const = 0;      // "ref-dlrm"
  [[nodiscard]] virtual std::string description() const = 0;  // one line for --help

  /// Declares the model's own options (sizes, seed, learning rate), bound to this object.
  virtual void declare_options(prof::tools::CommandLine& line) = 0;
  /// Sets sizes at which the CPU reference takes about a second. Called before options are parsed,
  /// so that explicit sizes override them.
  virtual void use_check_sizes() = 0;
  /// Sizes and learning rate for --overfit, likewise.
  virtual void use_overfit_sizes() = 0;
  /// One line about what is wrong with the options; empty if nothing is.
  [[nodiscard]] virtual std::string find_mistake() const = 0;

  [[nodiscard]] virtual Throughput throughput() const = 0;
  [[nodiscard]] virtual Overfit overfit() const = 0;
  /// Needs no GPU.
  [[nodiscard]] virtual Ledger ledger() const = 0;
  /// The names of all contributions to the gradients, in the order of the backward pass.
  [[nodiscard]] virtual std::vector<std::string> gradient_terms() const = 0;

  /// `gpu` must outlive the trainer.
  [[nodiscard]] virtual std::unique_ptr<Trainer> make_trainer(Gpu& gpu) const = 0;
  /// Compares loss, gradients and updates of a step with the CPU reference, one line each on
  /// stdout; `dropped` names a gradient term that the GPU omits (empty: none). True if all agree.
  [[nodiscard]] virtual bool check(const std::string& dropped) const = 0;
};

/// The program: parses, acts, returns the exit code (0 done, 1 failed with one line on stderr or a
/// verdict on stdout, 2 usage).
int run_workload(Workload& workload, int argc, char** argv);

}  // namespace ref
