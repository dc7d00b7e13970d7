// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The cost of a scope of prof/annotate.hpp when no tool is attached (run it without a profiler),
// compared with the bare NVTX push and pop that any annotation pays.
#include <benchmark/benchmark.h>

#include <prof/annotate.hpp>

namespace {

prof::OpBuilder linear(long n) {
  return prof::op("linear")
      .fprop()
      .in("x", {n, 512}, prof::DType::float16)
      .in("weight", {256, 512}, prof::DType::float16)
      .out("y", {n, 256}, prof::DType::float16);
}

void bare_nvtx(benchmark::State& state) {
  for (auto _ : state) {
    nvtxRangePushA("linear");
    benchmark::ClobberMemory();
    nvtxRangePop();
  }
}
BENCHMARK(bare_nvtx);

void op_prepared(benchmark::State& state) {
  static const prof::OpText text = linear(32768);
  for (auto _ : state) {
    prof::Op scope(text);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(op_prepared);

void op_cached_by_shape(benchmark::State& state) {
  static prof::OpCache cache;
  long n = 0;
  for (auto _ : state) {
    n = (n + 1) % 16;
    prof::Op scope(cache, {n, 512}, [&] { return linear(n); });
    benchmark::ClobberMemory();
  }
}
BENCHMARK(op_cached_by_shape);

void op_formatted_each_time(benchmark::State& state) {  // what the prepared text saves
  for (auto _ : state) {
    const prof::OpText text = linear(32768);
    prof::Op scope(text);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(op_formatted_each_time);

void layer_prepared(benchmark::State& state) {
  static const prof::LayerText text("Bottom_MLP");
  for (auto _ : state) {
    prof::Layer scope(text);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(layer_prepared);

void layer_by_name(benchmark::State& state) {
  for (auto _ : state) {
    prof::Layer scope("Bottom_MLP");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(layer_by_name);

void step(benchmark::State& state) {
  std::int64_t number = 0;
  for (auto _ : state) {
    prof::Step scope(number++);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(step);

}  // namespace

BENCHMARK_MAIN();
