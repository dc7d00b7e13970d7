// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvprof keeps as numbers. Whole databases: tests/truth/test_nvprof_import.py.
#include <gtest/gtest.h>

#include "libprof/model/overhead_words.hpp"
#include "tools/import/nvprof/cuda_functions.hpp"

namespace prof::importers::nvprof {
namespace {

TEST(CudaFunctions, HaveTheNamesOfCupti) {
  EXPECT_EQ(runtime_function(1), "cudaDriverGetVersion");
  EXPECT_EQ(runtime_function(31), "cudaMemcpy");
  EXPECT_EQ(runtime_function(211), "cudaLaunchKernel");
  EXPECT_EQ(runtime_function(522), "cudaDeviceGetP2PAtomicCapabilities");
  EXPECT_EQ(driver_function(1), "cuInit");
  EXPECT_EQ(driver_function(307), "cuLaunchKernel");
}

TEST(CudaFunctions, OthersHaveNone) {
  EXPECT_EQ(runtime_function(0), "");
  EXPECT_EQ(driver_function(0), "");
  EXPECT_EQ(runtime_function(523), "");
  EXPECT_EQ(driver_function(0xffffffff), "");
}

TEST(Overheads, HaveCuptiWords) {
  EXPECT_EQ(overhead_word(1), "DRIVER_COMPILER");
  EXPECT_EQ(overhead_word(1U << 16), "CUPTI_BUFFER_FLUSH");
  EXPECT_EQ(overhead_word(5U << 16), "LAZY_FUNCTION_LOADING");
  EXPECT_EQ(overhead_word(0), "UNKNOWN");
  EXPECT_EQ(overhead_word(2), "UNKNOWN");
  EXPECT_EQ(overhead_word((1U << 16) + 1), "UNKNOWN");
  EXPECT_EQ(overhead_word(9U << 16), "UNKNOWN");
}

}  // namespace
}  // namespace prof::importers::nvprof
