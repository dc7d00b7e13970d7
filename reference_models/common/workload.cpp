// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See workload.hpp.
#include "common/workload.hpp"

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "common/ledger_file.hpp"
#include "common/run_options.hpp"
#include "common/training.hpp"

namespace ref {
namespace {

using Action = RunOptions::Action;

bool needs_gpu(Action action) {
  return action != Action::list_gradient_terms && action != Action::ledger;
}

void require_gpu() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return;
  throw std::runtime_error(std::string("no usable GPU: ") + cudaGetErrorString(status));
}

// Whether all went well; a verdict has been printed if not.
bool act(const Workload& workload, const RunOptions& options) {
  switch (options.action) {
    case Action::train:
      train(workload, options);
      return true;
    case Action::check:
      return workload.check(options.drop_gradient);
    case Action::list_gradient_terms:
      for (const std::string& term : workload.gradient_terms()) std::puts(term.c_str());
      return true;
    case Action::overfit:
      return overfits(workload);
    case Action::deterministic:
      return trains_deterministically(workload, options);
    case Action::ledger:
      write_ledger(workload.ledger(), options.ledger_file);
      return true;
  }
  return false;
}

}  // namespace

int run_workload(Workload& workload, int argc, char** argv) {
  try {
    int exit_code = 0;
    const std::optional<RunOptions> options = parse_run_options(workload, argc, argv, &exit_code);
    if (!options) return exit_code;
    if (needs_gpu(options->action)) require_gpu();
    const bool done = act(workload, *options);
    if (std::fflush(stdout) != 0) throw std::runtime_error("stdout could not be written");
    return done ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", workload.program().c_str(), error.what());
    return 1;
  }
}

}  // namespace ref
