// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See training.hpp.
#include "common/training.hpp"

#include <cinttypes>
#include <cstdio>
#include <prof/annotate.hpp>

#include "common/progress.hpp"

namespace ref {
namespace {

void run_steps(const Workload& workload, const RunOptions& options, Trainer& trainer) {
  Progress progress(workload);
  for (int i = 1; i <= options.warmup; ++i) {
    trainer.train_step();
    progress.show("warm-up", i, options.warmup, trainer);
  }
  trainer.before_steps();
  for (int i = 1; i <= options.steps; ++i) {
    trainer.counted_step(i);
    progress.show("step", i, options.steps, trainer);
  }
}

std::uint64_t train_and_hash(const Workload& workload, const RunOptions& options) {
  Gpu gpu;
  const std::unique_ptr<Trainer> trainer = workload.make_trainer(gpu);
  run_steps(workload, options, *trainer);
  return trainer->checksum();
}

}  // namespace

void Trainer::counted_step(int number) {
  const prof::Step step(number);
  train_step();
}

void train(const Workload& workload, const RunOptions& options) {
  Gpu gpu;
  const std::unique_ptr<Trainer> trainer = workload.make_trainer(gpu);
  run_steps(workload, options, *trainer);
  std::printf("loss %.6f\n", static_cast<double>(trainer->loss()));
}

bool trains_deterministically(const Workload& workload, const RunOptions& options) {
  const std::uint64_t first = train_and_hash(workload, options);
  const std::uint64_t second = train_and_hash(workload, options);
  const bool same = first == second;
  std::printf("parameters after %d steps: %016" PRIx64 ", again: %016" PRIx64 "\n%s\n",
              options.warmup + options.steps, first, second,
              same ? "deterministic: the same bits twice" : "NOT deterministic: the bits differ");
  return same;
}

bool overfits(const Workload& workload) {
  const Overfit goal = workload.overfit();
  Gpu gpu;
  const std::unique_ptr<Trainer> trainer = workload.make_trainer(gpu);
  Progress progress(workload);
  float first = 0;
  for (int i = 1; i <= goal.steps; ++i) {
    trainer->train_step();
    if (i == 1) first = trainer->loss();
    progress.show("step", i, goal.steps, *trainer);
  }
  const float last = trainer->loss();
  // A NaN loss is not below anything.
  const bool fell = static_cast<double>(last) < goal.ratio * static_cast<double>(first);
  std::printf("loss %.6f, after %d steps %.6f\n%s: the last loss must be below %g of the first\n",
              static_cast<double>(first), goal.steps, static_cast<double>(last),
              fell ? "overfit passed" : "overfit FAILED", goal.ratio);
  return fell;
}

}  // namespace ref
