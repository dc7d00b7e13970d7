// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/live_memory.hpp"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace prof {
namespace {

using Operation = AllocationRecord::Operation;

AllocationRecord record(Operation operation, std::uint64_t address, std::uint64_t bytes,
                        std::int64_t time_ns = 1) {
  AllocationRecord made;
  made.operation = operation;
  made.memory = MemoryKind::kDevice;
  made.device = 0;
  made.time_ns = time_ns;
  made.address = address;
  made.bytes = bytes;
  return made;
}

TEST(LiveMemory, AReleaseEndsItsBlockWhateverItStates) {
  LiveMemory memory;
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x1000, 100, 5)).live_bytes, 100U);
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x2000, 30, 6)).live_bytes, 130U);
  AllocationRecord release = record(Operation::kRelease, 0x1000, 0, 7);
  release.memory = MemoryKind::kUnknown;
  release.device.reset();
  const LiveMemory::Change change = memory.take(release);
  EXPECT_EQ(change.bytes, 100U);
  EXPECT_EQ(change.memory, MemoryKind::kDevice);
  EXPECT_EQ(change.device, 0U);
  EXPECT_EQ(change.live_bytes, 30U);
  EXPECT_EQ(change.allocated_ns, 5);
}

TEST(LiveMemory, AReleaseOfAnUnknownBlockChangesNothing) {
  LiveMemory memory;
  memory.take(record(Operation::kAllocate, 0x1000, 100));
  const LiveMemory::Change change = memory.take(record(Operation::kRelease, 0x3000, 70));
  EXPECT_EQ(change.bytes, 70U);
  EXPECT_EQ(change.live_bytes, 100U);
  EXPECT_FALSE(change.allocated_ns);
}

TEST(LiveMemory, KindsAndDevicesCountByThemselves) {
  LiveMemory memory;
  memory.take(record(Operation::kAllocate, 0x1000, 100));
  AllocationRecord other = record(Operation::kAllocate, 0x2000, 20);
  other.device = 1;
  EXPECT_EQ(memory.take(other).live_bytes, 20U);
  other.memory = MemoryKind::kPinned;
  other.address = 0x3000;
  EXPECT_EQ(memory.take(other).live_bytes, 20U);
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x4000, 1)).live_bytes, 101U);
}

TEST(LiveMemory, AnAddressMayBeTakenBeforeItsReleaseIsSeen) {
  LiveMemory memory;
  memory.take(record(Operation::kAllocate, 0x1000, 100, 1));
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x1000, 40, 2)).live_bytes, 40U)
      << "two blocks cannot have one address";
  const LiveMemory::Change older = memory.take(record(Operation::kRelease, 0x1000, 100, 3));
  EXPECT_EQ(older.bytes, 100U);
  EXPECT_EQ(older.allocated_ns, 1);
  EXPECT_EQ(older.live_bytes, 40U);
  const LiveMemory::Change newer = memory.take(record(Operation::kRelease, 0x1000, 40, 4));
  EXPECT_EQ(newer.allocated_ns, 2);
  EXPECT_EQ(newer.live_bytes, 0U);
}

TEST(LiveMemory, ALostReleaseIsForgottenWithTheNextBlockOfItsAddress) {
  LiveMemory memory;
  memory.take(record(Operation::kAllocate, 0x1000, 100));
  memory.take(record(Operation::kAllocate, 0x1000, 20));
  memory.take(record(Operation::kRelease, 0x1000, 20));
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x1000, 3)).live_bytes, 3U);
}

TEST(LiveMemory, WhatHasNoAddressOrOperationIsNotCounted) {
  LiveMemory memory;
  EXPECT_FALSE(memory.take(record(Operation::kAllocate, 0, 100)).live_bytes);
  EXPECT_FALSE(memory.take(record(Operation::kUnknown, 0x1000, 100)).live_bytes);
  EXPECT_EQ(memory.take(record(Operation::kAllocate, 0x1000, 1)).live_bytes, 1U);
}

TEST(LiveMemory, AgreesWithASumOverAllBlocks) {
  LiveMemory memory;
  std::unordered_map<std::uint64_t, std::uint64_t> blocks;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t address = 1 + random() % 64;
    const bool is_live = blocks.contains(address);
    const std::uint64_t bytes = random() % 1'000'000'000'000;
    const LiveMemory::Change change =
        memory.take(record(is_live ? Operation::kRelease : Operation::kAllocate, address, bytes));
    if (is_live) {
      EXPECT_EQ(change.bytes, blocks.at(address));
      blocks.erase(address);
    } else {
      blocks[address] = bytes;
    }
    std::uint64_t sum = 0;
    for (const auto& [at, size] : blocks) sum += size;
    ASSERT_EQ(change.live_bytes, sum);
  }
}

}  // namespace
}  // namespace prof
