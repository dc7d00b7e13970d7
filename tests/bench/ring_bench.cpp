// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What an NVTX range and a CUDA call cost the program's thread while the collector is attached: with
// nothing recorded, and while recording into a sink that throws all away. Each iteration is one
// push/pop pair, mark or call, through NVTX's own headers. A ring that overflows would look cheap, so
// losses are printed: they should be 0. The budget of a recorded pair is 100 ns.
#include <benchmark/benchmark.h>
#include <nvtx3/nvToolsExt.h>

#include <memory>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/global.hpp"
#include "collectors/core/recorder.hpp"
#include "collectors/nvtx/nvtx_attach.hpp"

namespace {

using namespace prof;
using namespace prof::collectors;

struct NullSink final : RecordSink {
  void on(const StringRecord&) override {}
  void on(const MetaRecord&) override {}
  void on(const ThreadRecord&) override {}
  void on(const DeviceRecord&) override {}
  void on(const DomainRecord&) override {}
  void on(const NameRecord&) override {}
  void on(const RangeRecord&) override {}
  void on(const MarkRecord&) override {}
  void on(const PayloadSchemaRecord&) override {}
  void on(const PayloadBlobRecord&) override {}
  void on(const ApiRecord&) override {}
  void on(const KernelRecord&) override {}
  void on(const MemcpyRecord&) override {}
  void on(const MemsetRecord&) override {}
  void on(const SyncRecord&) override {}
  void on(const OverheadRecord&) override {}
  void on(const GraphNodeRecord&) override {}
  void on(const ClockSyncRecord&) override {}
  void on(const LossRecord&) override {}
  void commit() override {}
  Status status() const override { return {}; }
};

/// A capture for the time of one benchmark, and what it lost. The ring is large, for a loop that makes
/// nothing but ranges is faster than any worker.
class Capture {
 public:
  explicit Capture(bool recording) {
    global().ring_bytes = 1U << 30;
    if (!recording) return;
    lost_ = global().losses.total(Loss::kRingFull);
    auto started = Recorder::start(sink_, nullptr);
    if (started.ok()) recorder_ = std::move(*started);
  }
  void finish(benchmark::State& state) {
    if (recorder_ == nullptr) return;
    (void)recorder_->stop();
    state.counters["lost"] = static_cast<double>(global().losses.total(Loss::kRingFull) - lost_);
  }

 private:
  NullSink sink_;
  std::unique_ptr<Recorder> recorder_;
  std::uint64_t lost_ = 0;
};

void push_pop(benchmark::State& state) {
  Capture capture(state.range(0) != 0);
  for (auto _ : state) {
    nvtxRangePushA("layer:bot_mlp:linear_1");
    nvtxRangePop();
  }
  capture.finish(state);
}

void push_pop_registered(benchmark::State& state) {
  Capture capture(state.range(0) != 0);
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(nullptr, "layer:bot_mlp:linear_1");
  for (auto _ : state) {
    nvtxRangePushEx(&event);
    nvtxRangePop();
  }
  capture.finish(state);
}

void push_pop_nested(benchmark::State& state) {
  Capture capture(state.range(0) != 0);
  for (int i = 0; i < 20; ++i) nvtxRangePushA("enclosing");
  for (auto _ : state) {
    nvtxRangePushA("layer:bot_mlp:linear_1");
    nvtxRangePop();
  }
  for (int i = 0; i < 20; ++i) nvtxRangePop();
  capture.finish(state);
}

void api_call(benchmark::State& state) {
  Capture capture(state.range(0) != 0);
  Correlation correlation = 0;
  for (auto _ : state) {
    api_enter(++correlation, ApiRecord::Domain::kRuntime, 211, false);
    api_exit(ApiRecord::Domain::kRuntime, 211, 0);
  }
  capture.finish(state);
}

void read_clock_twice(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(now_ns());
    benchmark::DoNotOptimize(now_ns());
  }
}

// As many iterations as fit the ring without the worker's help.
constexpr int kIterations = 2'000'000;

BENCHMARK(read_clock_twice)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(push_pop)->ArgName("recording")->Arg(0)->Arg(1)->Iterations(kIterations)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(push_pop_registered)->ArgName("recording")->Arg(0)->Arg(1)->Iterations(kIterations)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(push_pop_nested)->ArgName("recording")->Arg(0)->Arg(1)->Iterations(kIterations)->Repetitions(7)->ReportAggregatesOnly();
BENCHMARK(api_call)->ArgName("recording")->Arg(0)->Arg(1)->Iterations(kIterations)->Repetitions(7)->ReportAggregatesOnly();

}  // namespace

int main(int argc, char** argv) {
  // NVTX looks here when no injection library is set; before the first call of NVTX.
  InitializeInjectionNvtx2_fnptr = nvtx_attach;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
