// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast a trace is written and read, and how large it gets: "bytes_per_kernel" is the file over
// its kernels, each with its launch. Budget, beside strings and ranges: 64
// (docs/decisions/0002-trace-file.md).
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

std::string bench_path() {
  return (std::filesystem::temp_directory_path() /
          ("prof_store_bench_" + std::to_string(getpid()) + ".db"))
      .string();
}

void write_trace(const sample::Options& options) {
  auto writer = TraceWriter::create(bench_path(), {.force = true});
  sample::feed(**writer, options);
  (*writer)->on(MetaRecord{"ended", "stop"});
}

void BM_Write(benchmark::State& state) {
  sample::Options options;
  options.kernels = static_cast<std::uint64_t>(state.range(0));
  options.ranges = state.range(1) != 0;
  for (auto _ : state) write_trace(options);
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(options.kernels),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes_per_kernel"] =
      static_cast<double>(std::filesystem::file_size(bench_path())) /
      static_cast<double>(options.kernels);
  std::filesystem::remove(bench_path());
}
BENCHMARK(BM_Write)->Args({1'000'000, 0})->Args({1'000'000, 1})->Unit(benchmark::kMillisecond);

void BM_Read(benchmark::State& state) {
  sample::Options options;
  options.kernels = 1'000'000;
  options.kernels_per_range = static_cast<std::uint64_t>(state.range(0));
  write_trace(options);
  const auto reader = TraceReader::open(bench_path());
  for (auto _ : state) {
    const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
    std::uint64_t kernels = 0;
    RangeId last = 0;
    while (const GpuRow* const row = cursor->next()) {
      ++kernels;
      if (row->stack != last) benchmark::DoNotOptimize((*reader)->range(last = row->stack));
    }
    if (kernels != options.kernels) state.SkipWithError("kernels are missing");
  }
  state.counters["kernels/s"] = benchmark::Counter(static_cast<double>(options.kernels),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  std::filesystem::remove(bench_path());
}
BENCHMARK(BM_Read)->Arg(1)->Arg(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace prof

BENCHMARK_MAIN();
