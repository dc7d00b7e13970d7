// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Small rows are a contract: docs/decisions/0002-trace-file.md.
#include <gtest/gtest.h>

#include <filesystem>

#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

std::uintmax_t size_of(std::uint64_t kernels, std::uint64_t first_correlation,
                       bool ranges = false) {
  const TempFolder folder;
  {
    auto writer = TraceWriter::create(folder.path("t.db"));
    EXPECT_TRUE(writer.ok());
    sample::Options options;
    options.kernels = kernels;
    options.first_correlation = first_correlation;
    options.ranges = ranges;
    sample::feed(**writer, options);
  }
  return std::filesystem::file_size(folder.path("t.db"));
}

TEST(SizeTest, AKernelWithItsLaunchTakesAtMost64Bytes) {
  // The difference leaves out what a trace takes once: schema, strings, configurations.
  const double bytes = static_cast<double>(size_of(110'000, 1) - size_of(10'000, 1)) / 100'000;
  EXPECT_LE(bytes, 64);
  EXPECT_GE(bytes, 30) << "rows are missing";
}

TEST(SizeTest, LongCapturesToo) {
  const std::uint64_t late = 100'000'000;
  const double bytes =
      static_cast<double>(size_of(110'000, late) - size_of(10'000, late)) / 100'000;
  EXPECT_LE(bytes, 64);
}

TEST(SizeTest, ARangeTakesAtMost28Bytes) {
  const double with = static_cast<double>(size_of(110'000, 1, true) - size_of(10'000, 1, true));
  const double without = static_cast<double>(size_of(110'000, 1) - size_of(10'000, 1));
  const double bytes = (with - without) / 100'000;  // And the launch's reference to it.
  EXPECT_LE(bytes, 28);
  EXPECT_GE(bytes, 10) << "rows are missing";
}

TEST(SizeTest, AnEmptyTraceIsSmall) { EXPECT_LE(size_of(0, 1), 256u * 1024); }

}  // namespace
}  // namespace prof
