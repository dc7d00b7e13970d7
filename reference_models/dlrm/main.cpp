// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ref-dlrm: trains a DLRM on one synthetic batch, so that a profiler has a known step to explain.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <prof/annotate.hpp>

#include "dlrm/check.hpp"
#include "dlrm/dlrm.hpp"
#include "dlrm/options.hpp"

namespace {

// One line that rewrites itself, on a terminal only.
class Progress {
 public:
  explicit Progress(int batch) : on_(isatty(STDERR_FILENO) == 1), batch_(batch) {}
  ~Progress() {
    if (shown_) std::fputc('\n', stderr);
  }

  void show(const char* what, int step, int steps, ref::Dlrm& model) {
    if (!on_) return;
    const float loss = model.loss();  // waits for the step, so the time below is the step's
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    std::fprintf(stderr, "\r%s %d/%d  loss %.5f  %.2f ms  %.0f samples/s   ", what, step, steps,
                 static_cast<double>(loss), ms, batch_ / ms * 1000);
    shown_ = true;
  }

 private:
  bool on_;
  bool shown_ = false;
  int batch_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void train(const ref::Options& options) {
  ref::Gpu gpu;
  const ref::Batch batch(ref::make_batch(options.config));
  ref::Dlrm model(gpu, options.config);
  Progress progress(options.config.batch);
  for (int i = 1; i <= options.warmup; ++i) {
    model.train_step(batch);
    progress.show("warm-up", i, options.warmup, model);
  }
  for (int i = 1; i <= options.steps; ++i) {
    {
      const prof::Step step(i);
      model.train_step(batch);
    }
    progress.show("step", i, options.steps, model);
  }
  std::printf("loss %.6f\n", static_cast<double>(model.loss()));
}

bool gpu_present() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return true;
  std::fprintf(stderr, "ref-dlrm: no usable GPU: %s\n", cudaGetErrorString(status));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int exit_code = 0;
    const std::optional<ref::Options> options = ref::parse_options(argc, argv, &exit_code);
    if (!options) return exit_code;
    if (options->action == ref::Options::Action::list_gradient_terms) {
      for (const auto& term : ref::gradient_term_names(options->config)) std::puts(term.c_str());
      return 0;
    }
    if (!gpu_present()) return 1;
    if (options->action == ref::Options::Action::check) {
      return ref::check_gradients(options->config, options->drop_gradient) ? 0 : 1;
    }
    train(*options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ref-dlrm: %s\n", error.what());
    return 1;
  }
}
