// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a what-if question costs: a graph of a million kernels, and 20 replays of it.
//
// usage: whatif_bench [KERNELS]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "analyzers/whatif/change.hpp"
#include "analyzers/whatif/graph_builder.hpp"
#include "analyzers/whatif/replay.hpp"
#include "tests/unit/analyzers/made_program.hpp"

namespace {

constexpr int kReplays = 20;

double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

prof::whatif::RecordedRun made_run(int kernels) {
  constexpr int kInStep = 1000;
  prof::fakes::MadeProgram program;
  for (int i = 0; i < kernels; ++i) {
    if (i % kInStep == 0) {
      if (i > 0) program.wait();
      program.begin_step();
    }
    program.way(5'000);
    program.launch(3'000 + i % 7 * 1'000);
  }
  return program.finish();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace prof::whatif;
  const int kernels = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  const RecordedRun run = made_run(kernels);
  const double run_mb = peak_mb();
  const double begin = seconds();
  const StepGraph graph = build_graph(run);
  const double built = seconds();
  std::printf("%d kernels: graph of %zu nodes in %.2f s; %.0f MB, %.0f MB with it\n", kernels,
              graph.size(), built - begin, run_mb, peak_mb());
  Scale half{.works = {}, .factor = 0.5};
  for (std::uint32_t i = 0; i < run.works.size(); i += 2) half.works.push_back(i);
  const Change change = half;
  Times times;
  double checked = 0;
  for (int i = 0; i < kReplays; ++i) {
    replay(graph, apply(graph, std::span(&change, 1)), {.from_empty_queue = true}, times);
    checked += static_cast<double>(times.ends_ns.back());
  }
  std::printf("%d replays: %.2f s, %.0f MB at most (%.3g)\n", kReplays, seconds() - built,
              peak_mb(), checked);
  return 0;
}
