// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of an NVTX range and a CUDA call to the program's thread while the collector is
// attached: idle, and while recording into a sink that discards everything. Each iteration is one
// push/pop pair or call, through NVTX's own headers. An overflowing ring would look cheap, so
// losses are printed: they should be 0. The budget for a recorded pair is 100 ns, including two
// clock reads.
#include <benchmark/benchmark.h>
#include <nvtx3/nvToolsExt.h>

#include <memory>
#include <thread>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/recorder.hpp"
#include "collectors/nvtx/nvtx_attach.hpp"
#include "tests/support/ignoring_sink.hpp"

namespace {

using namespace prof;
using namespace prof::collectors;

/// Bursts that fit into the ring, each timed by the thread's own CPU clock; between them the worker
/// catches up, untimed. "ns" is per call of `action`.
template <typename Action>
void measure(benchmark::State& state, Action action) {
  constexpr int kBurst = 4096;
  prof::test::IgnoringSink sink;
  std::unique_ptr<Recorder> recorder;
  const std::uint64_t lost = global().losses.total(Loss::kRingFull);
  if (state.range(0) != 0) {
    auto started = Recorder::start(sink, nullptr, nullptr);
    if (!started.ok()) return state.SkipWithError("no recorder");
    recorder = std::move(*started);
  }
  ThreadState* thread = current_thread();
  std::int64_t total_ns = 0;
  for (auto _ : state) {
    const std::int64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < kBurst; ++i) action();
    const std::int64_t spent = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    total_ns += spent;
    state.SetIterationTime(static_cast<double>(spent) * 1e-9);
    while (recorder != nullptr && thread->ring.used() != 0) std::this_thread::yield();
  }
  if (recorder != nullptr) (void)recorder->stop();
  state.counters["ns"] =
      static_cast<double>(total_ns) / (static_cast<double>(state.iterations()) * kBurst);
  state.counters["lost"] = static_cast<double>(global().losses.total(Loss::kRingFull) - lost);
}

void push_pop(benchmark::State& state) {
  measure(state, [] {
    nvtxRangePushA("layer:bot_mlp:linear_1");
    nvtxRangePop();
  });
}

void push_pop_registered(benchmark::State& state) {
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(nullptr, "layer:bot_mlp:linear_1");
  measure(state, [&] {
    nvtxRangePushEx(&event);
    nvtxRangePop();
  });
}

void push_pop_nested(benchmark::State& state) {
  for (int i = 0; i < 20; ++i) nvtxRangePushA("enclosing");
  push_pop(state);
  for (int i = 0; i < 20; ++i) nvtxRangePop();
}

void api_call(benchmark::State& state) {
  Correlation correlation = 0;
  measure(state, [&] {
    api_enter(++correlation, ApiRecord::Domain::kRuntime, 211, false);
    api_exit(ApiRecord::Domain::kRuntime, 211, 0);
  });
}

void read_clock_twice(benchmark::State& state) {
  measure(state, [] {
    benchmark::DoNotOptimize(now_ns());
    benchmark::DoNotOptimize(now_ns());
  });
}

void both(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("recording")
      ->Arg(0)
      ->Arg(1)
      ->UseManualTime()
      ->Iterations(200)
      ->Repetitions(7)
      ->ReportAggregatesOnly();
}

BENCHMARK(read_clock_twice)->Apply(both);
BENCHMARK(push_pop)->Apply(both);
BENCHMARK(push_pop_registered)->Apply(both);
BENCHMARK(push_pop_nested)->Apply(both);
BENCHMARK(api_call)->Apply(both);

}  // namespace

int main(int argc, char** argv) {
  // NVTX looks here when no injection library is set; before the first call of NVTX.
  InitializeInjectionNvtx2_fnptr = nvtx_attach;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
