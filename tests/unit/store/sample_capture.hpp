// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Feeds a sink with a capture of the shape that real ones have: launches in order from one thread,
// their kernels later, in the buffers' order of two streams. For tests and benchmarks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "libprof/model/records.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof::sample {

inline constexpr std::int64_t kStartNs = 1'795'219'187'000'000'000;

struct Options {
  std::uint64_t kernels = 1000;
  std::uint64_t first_correlation = 1;
  std::uint64_t configs = 400;
  std::uint64_t kernels_per_range = 1;
  bool ranges = true;
};

inline void prologue(RecordSink& sink, const Options& options) {
  sink.on(MetaRecord{"start_realtime_ns", std::to_string(kStartNs)});
  sink.on(MetaRecord{"pid", "4711"});
  sink.on(StringRecord{StringId{1}, "cuLaunchKernel"});
  sink.on(StringRecord{StringId{2}, "layer"});
  for (std::uint64_t i = 0; i < options.configs; ++i) {
    sink.on(StringRecord{StringId{static_cast<std::uint32_t>(10 + i)},
                         "_Z6kernelILi" + std::to_string(i) + "EEvPf"});
  }
  ThreadRecord thread;
  thread.id = ThreadId{1};
  thread.os_tid = 4711;
  sink.on(thread);
  sink.on(DomainRecord{kDefaultDomain, StringId{}});
}

inline ApiRecord launch(const Options& options, std::uint64_t i) {
  ApiRecord api;
  api.correlation = options.first_correlation + i;
  api.domain = ApiRecord::Domain::kDriver;
  api.function = StringId{1};
  api.thread = ThreadId{1};
  api.stack = options.ranges ? 1 + i / options.kernels_per_range : 0;
  api.start_ns = kStartNs + 5'000'000'000 + static_cast<std::int64_t>(i * 6'123 + i * i % 977);
  api.end_ns = api.start_ns + 2'300 + static_cast<std::int64_t>(i % 1'700);
  return api;
}

inline KernelRecord kernel(const Options& options, std::uint64_t i) {
  KernelRecord record;
  record.correlation = options.first_correlation + i;
  record.device = 0;
  record.context = 1;
  record.stream = i % 7 == 0 ? 13 : 7;
  record.start_ns = launch(options, i).start_ns + 9'000;
  record.end_ns = record.start_ns + 1'500 + static_cast<std::int64_t>(i * 37 % 40'000);
  record.name = StringId{static_cast<std::uint32_t>(10 + i % options.configs)};
  record.grid = {static_cast<std::uint32_t>(1 + i % options.configs), 1, 1};
  record.block = {128, 1, 1};
  record.registers_per_thread = 32;
  return record;
}

/// `kernels` launches with their kernels, committed every `batch` launches.
inline void feed(RecordSink& sink, const Options& options, std::uint64_t batch = 50'000) {
  prologue(sink, options);
  for (std::uint64_t begin = 0; begin < options.kernels; begin += batch) {
    const std::uint64_t end = std::min(begin + batch, options.kernels);
    for (std::uint64_t i = begin; i < end; ++i) {
      if (options.ranges && i % options.kernels_per_range == 0) {
        RangeRecord range;
        range.id = 1 + i / options.kernels_per_range;
        range.thread = range.end_thread = ThreadId{1};
        range.text = StringId{2};
        range.start_ns = launch(options, i).start_ns - 500;
        range.end_ns = range.start_ns + 9'000;
        sink.on(range);
      }
      sink.on(launch(options, i));
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      if (i % 7 != 0) sink.on(kernel(options, i));
    }
    for (std::uint64_t i = begin; i < end; ++i) {
      if (i % 7 == 0) sink.on(kernel(options, i));
    }
    sink.commit();
  }
}

}  // namespace prof::sample
