// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the names of copies and sets.
#include "tools/report/rows/work_names.hpp"

#include <gtest/gtest.h>

namespace prof::reports {
namespace {

GpuRow copy(std::uint8_t kind) {
  GpuRow row;
  row.kind = GpuRow::Kind::kMemcpy;
  row.copy_kind = kind;
  row.source = MemoryKind::kPinned;
  row.destination = MemoryKind::kDeviceStatic;
  return row;
}

TEST(WorkNames, ACopyIsNamedInTheWordsOfEachTool) {
  EXPECT_EQ(short_name_of(copy(1)), "[memcpy HtoD]");
  EXPECT_EQ(nvprof_name_of(copy(1)), "[CUDA memcpy HtoD]");
  EXPECT_EQ(nsys_name_of(copy(1)), "[CUDA memcpy Host-to-Device]");
  EXPECT_EQ(torch_name_of(copy(1)), "Memcpy HtoD (Pinned -> Device Static)");
  EXPECT_EQ(nsys_name_of(copy(6)), "[CUDA memcpy Array-to-Device]");
  EXPECT_EQ(nsys_name_of(copy(10)), "[CUDA memcpy Peer-to-Peer]");
}

TEST(WorkNames, AMigrationOfUnifiedMemoryIsNoCopyOfTheProgram) {
  EXPECT_EQ(short_name_of(copy(11)), "[memcpy unified HtoD]");
  EXPECT_EQ(nvprof_name_of(copy(12)), "[Unified Memory Memcpy DtoH]");
  EXPECT_EQ(nsys_name_of(copy(13)), "[CUDA memcpy Unified Device-to-Device]");
}

TEST(WorkNames, OfAKindThatIsNotKnown) {
  for (const std::uint8_t kind : {std::uint8_t{0}, std::uint8_t{14}, std::uint8_t{255}}) {
    EXPECT_EQ(short_name_of(copy(kind)), "[memcpy]");
    EXPECT_EQ(nvprof_name_of(copy(kind)), "[CUDA memcpy]");
    EXPECT_EQ(nsys_name_of(copy(kind)), "[CUDA memcpy]");
  }
  EXPECT_EQ(memory_name(MemoryKind::kUnknown), "");
  EXPECT_EQ(memory_name(MemoryKind{99}), "");
  EXPECT_EQ(memory_name(MemoryKind::kManagedStatic), "managed_static");
}

TEST(WorkNames, OfASet) {
  GpuRow set;
  set.kind = GpuRow::Kind::kMemset;
  EXPECT_EQ(short_name_of(set), "[memset]");
  EXPECT_EQ(nvprof_name_of(set), "[CUDA memset]");
  EXPECT_EQ(nsys_name_of(set), "[CUDA memset]");
  EXPECT_EQ(torch_name_of(set), "Memset (Unknown)");
}

}  // namespace
}  // namespace prof::reports
