// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels attributed per second on one core, without reading a file: an in-memory trace whose steps
// resemble training steps (about 250 op instances with about 800 kernels). Budget: 1,000,000 per
// second, including reading the store and the report.
#include <benchmark/benchmark.h>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace {

using prof::fakes::FakeTrace;
using prof::fakes::op_text;

/// `kernels_per_op` kernels under each of 250 ops in 25 layers a step.
std::unique_ptr<FakeTrace> make_trace(int kernels, int kernels_per_op) {
  auto trace = std::make_unique<FakeTrace>();
  std::vector<std::string> ops;
  for (int i = 0; i < 250; ++i) {
    const std::string n = std::to_string(64 + i);
    ops.push_back(op_text(
        "linear", i % 2 == 0 ? "fprop" : "bprop",
        "x:in:32768x" + n + ":float16 weight:in:512x" + n + ":float16 y:out:32768x512:float16",
        "data"));
  }
  for (int made = 0, step = 0; made < kernels; ++step) {
    trace->push("step:" + std::to_string(step));
    for (int layer = 0; layer < 25; ++layer) {
      trace->push("layer:Layer_" + std::to_string(layer));
      for (int op = 0; op < 10; ++op) {
        trace->push(ops[static_cast<std::size_t>(layer * 10 + op)]);
        for (int k = 0; k < kernels_per_op; ++k, ++made)
          trace->kernel("kernel" + std::to_string((layer + op + k) % 40), 5000);
        trace->pop();
      }
      trace->pop();
    }
    trace->pop();
  }
  return trace;
}

void attribute(benchmark::State& state) {
  const auto trace = make_trace(400'000, static_cast<int>(state.range(0)));
  std::int64_t kernels = 0;
  for (auto _ : state) {
    const auto cursor = prof::attribute_work(*trace);
    while (const prof::AttributedRow* item = cursor->next()) {
      benchmark::DoNotOptimize(item->attribution.cost.flops);
      ++kernels;
    }
  }
  state.SetItemsProcessed(kernels);
}
BENCHMARK(attribute)->Arg(1)->Arg(3)->Arg(20)->Unit(benchmark::kMillisecond);

/// The cost of the in-memory trace itself, to be subtracted from the above.
void read_only(benchmark::State& state) {
  const auto trace = make_trace(400'000, 3);
  std::int64_t kernels = 0;
  for (auto _ : state) {
    const auto cursor = trace->gpu_work(prof::TraceReader::Work::kKernels);
    while (const prof::GpuRow* row = cursor->next()) {
      benchmark::DoNotOptimize(row->stack);
      ++kernels;
    }
  }
  state.SetItemsProcessed(kernels);
}
BENCHMARK(read_only)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
