// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/event_ring.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace prof::collectors {
namespace {

struct Ring {
  explicit Ring(std::uint32_t capacity) : memory(capacity / sizeof(std::uint64_t)) {
    ring.attach(reinterpret_cast<std::byte*>(memory.data()), capacity);
  }
  std::vector<std::uint64_t> memory;
  EventRing ring;
};

struct Numbered {
  EventHeader header;
  std::uint64_t number;
};

bool write_number(EventRing& ring, std::uint64_t number, std::size_t extra = 0) {
  std::byte* room = ring.reserve(EventKind::kMark, sizeof(Numbered) + extra);
  if (room == nullptr) return false;
  std::memcpy(room + sizeof(EventHeader), &number, sizeof number);
  std::memset(room + sizeof(Numbered), static_cast<int>(number & 0xff), extra);
  ring.commit();
  return true;
}

std::uint64_t number_of(const EventHeader& header) {
  Numbered event;
  std::memcpy(&event, &header, sizeof event);
  return event.number;
}

TEST(EventRing, GivesBackWhatWasCommittedInOrder) {
  Ring r(256);
  EXPECT_EQ(r.ring.front(), nullptr);
  ASSERT_TRUE(write_number(r.ring, 7));
  ASSERT_TRUE(write_number(r.ring, 8, 3));
  ASSERT_NE(r.ring.front(), nullptr);
  EXPECT_EQ(number_of(*r.ring.front()), 7U);
  EXPECT_EQ(r.ring.front()->bytes, 16U);
  r.ring.pop();
  EXPECT_EQ(number_of(*r.ring.front()), 8U);
  EXPECT_EQ(r.ring.front()->bytes, 24U) << "rounded up to 8";
  r.ring.pop();
  EXPECT_EQ(r.ring.front(), nullptr);
  EXPECT_EQ(r.ring.used(), 0U);
}

TEST(EventRing, NothingIsSeenBeforeCommit) {
  Ring r(256);
  ASSERT_NE(r.ring.reserve(EventKind::kMark, 16), nullptr);
  EXPECT_EQ(r.ring.front(), nullptr);
  r.ring.commit();
  EXPECT_NE(r.ring.front(), nullptr);
}

TEST(EventRing, FullMeansFullAndOneFreedEventMakesRoom) {
  Ring r(128);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(write_number(r.ring, i));
  EXPECT_FALSE(write_number(r.ring, 8));
  EXPECT_EQ(r.ring.used(), 128U);
  r.ring.pop();
  EXPECT_TRUE(write_number(r.ring, 8));
  EXPECT_FALSE(write_number(r.ring, 9));
}

TEST(EventRing, AnEventThatDoesNotFitBeforeTheEndIsWrappedWhole) {
  Ring r(128);
  ASSERT_TRUE(write_number(r.ring, 1, 64));  // 80 bytes
  ASSERT_TRUE(write_number(r.ring, 2, 8));   // 24 bytes; 24 left before the end
  r.ring.pop();
  ASSERT_TRUE(write_number(r.ring, 3, 40));  // 56 bytes: not in 24, so at the beginning
  EXPECT_EQ(number_of(*r.ring.front()), 2U);
  r.ring.pop();
  ASSERT_NE(r.ring.front(), nullptr);
  EXPECT_EQ(number_of(*r.ring.front()), 3U);
  EXPECT_EQ(reinterpret_cast<const std::byte*>(r.ring.front()), r.ring.memory());
}

TEST(EventRing, AnEventLargerThanTheRingIsRefused) {
  Ring r(128);
  EXPECT_EQ(r.ring.reserve(EventKind::kMark, 136), nullptr);
  EXPECT_TRUE(write_number(r.ring, 1));
}

TEST(EventRing, RoomSetAsideIsThereHoweverFullTheRingIs) {
  // Every told push sets 24 bytes aside; all pops must fit after the ring took all it could.
  for (std::uint32_t extra = 0; extra < 200; extra += 8) {
    Ring r(4096);
    std::uint32_t pushes = 0;
    for (std::uint32_t round = 0; round < extra / 8; ++round) {  // Shifts where the end lies.
      ASSERT_TRUE(write_number(r.ring, round, extra));
      ASSERT_NE(r.ring.front(), nullptr);
      r.ring.pop();
    }
    while (std::byte* room = r.ring.reserve(EventKind::kPush, sizeof(Numbered) + extra, 24)) {
      std::memset(room + sizeof(EventHeader), 0, 8);
      r.ring.set_aside(24);
      r.ring.commit();
      ++pushes;
    }
    while (write_number(r.ring, 0)) {
    }  // Other events may not take what is set aside.
    ASSERT_GT(pushes, 10U);
    for (std::uint32_t i = 0; i < pushes; ++i) {
      ASSERT_NE(r.ring.reserve_from_aside(EventKind::kPop, 24), nullptr)
          << "pop " << i << " of " << pushes;
      r.ring.commit();
    }
  }
}

TEST(EventRing, WhatADamagedHeaderLeavesIsSkippedToTheNewestEvent) {
  for (const std::uint32_t bytes : {0U, 4U, 7U, 12U, 56U, 128U, 1U << 31, 0xffffffffU}) {
    for (const EventKind kind : {EventKind::kMark, EventKind::kPadding}) {
      Ring r(128);
      ASSERT_TRUE(write_number(r.ring, 1));
      ASSERT_TRUE(write_number(r.ring, 2));
      ASSERT_TRUE(write_number(r.ring, 3));
      ASSERT_NE(r.ring.front(), nullptr);
      r.ring.pop();
      const EventHeader damaged{bytes, kind, 0};
      std::memcpy(r.ring.memory() + 16, &damaged, sizeof damaged);
      EXPECT_EQ(r.ring.front(), nullptr) << bytes;
      EXPECT_TRUE(r.ring.take_damaged()) << bytes;
      EXPECT_FALSE(r.ring.take_damaged());
      EXPECT_EQ(r.ring.used(), 0U);
      ASSERT_TRUE(write_number(r.ring, 4));
      ASSERT_NE(r.ring.front(), nullptr);
      EXPECT_EQ(number_of(*r.ring.front()), 4U);
    }
  }
}

TEST(EventRing, AnEventThatWouldGoBeyondTheEndOfTheRingIsDamaged) {
  Ring r(128);
  for (std::uint64_t i = 0; i < 8; ++i) ASSERT_TRUE(write_number(r.ring, i));
  for (int i = 0; i < 7; ++i) {
    ASSERT_NE(r.ring.front(), nullptr);
    r.ring.pop();
  }
  for (std::uint64_t i = 0; i < 7; ++i) ASSERT_TRUE(write_number(r.ring, i));  // 128 bytes in use.
  const EventHeader damaged{32, EventKind::kMark, 0};
  std::memcpy(r.ring.memory() + 112, &damaged, sizeof damaged);
  EXPECT_EQ(r.ring.front(), nullptr);
  EXPECT_TRUE(r.ring.take_damaged());
}

TEST(EventRing, HalfFullIsNoticed) {
  Ring r(128);
  for (std::uint64_t i = 0; i < 4; ++i) write_number(r.ring, i);
  EXPECT_FALSE(r.ring.over_half_full());
  write_number(r.ring, 4);
  EXPECT_TRUE(r.ring.over_half_full());
  r.ring.pop();
  EXPECT_FALSE(r.ring.over_half_full());
}

TEST(EventRing, HalfFullItGoesOnInALargerSegment) {
  Ring r(128);
  r.ring.set_limit(4096);
  for (std::uint64_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(write_number(r.ring, i)) << i;
    if (i == 4) {
      EXPECT_FALSE(r.ring.over_half_full()) << "it has grown instead";
    }
  }
  EXPECT_EQ(r.ring.capacity(), 4096U);
  for (std::uint64_t i = 0; i < 200; ++i) {
    ASSERT_NE(r.ring.front(), nullptr) << i;
    EXPECT_EQ(number_of(*r.ring.front()), i);
    r.ring.pop();
  }
  EXPECT_EQ(r.ring.front(), nullptr);
  EXPECT_EQ(r.ring.used(), 0U);
  for (std::uint64_t i = 0; i < 256; ++i) ASSERT_TRUE(write_number(r.ring, i));
  EXPECT_FALSE(write_number(r.ring, 0)) << "the limit";
  EXPECT_TRUE(r.ring.over_half_full());
  r.ring.reset();
  EXPECT_EQ(r.ring.capacity(), 128U);
  EXPECT_EQ(r.ring.memory(), reinterpret_cast<std::byte*>(r.memory.data()));
  ASSERT_TRUE(write_number(r.ring, 7));
  ASSERT_NE(r.ring.front(), nullptr);
  EXPECT_EQ(number_of(*r.ring.front()), 7U);
}

TEST(EventRing, AnEventLargerThanTheSegmentMakesItGrow) {
  for (std::uint64_t before = 0; before < 8; ++before) {  // Wherever the positions are.
    Ring r(128);
    r.ring.set_limit(1 << 20);
    for (std::uint64_t i = 0; i < before; ++i) ASSERT_TRUE(write_number(r.ring, i));
    ASSERT_TRUE(write_number(r.ring, 99, 64 * 1024));
    for (std::uint64_t i = 0; i < before; ++i) {
      ASSERT_NE(r.ring.front(), nullptr);
      r.ring.pop();
    }
    ASSERT_NE(r.ring.front(), nullptr);
    EXPECT_EQ(number_of(*r.ring.front()), 99U);
    r.ring.pop();
    EXPECT_EQ(r.ring.front(), nullptr);
  }
}

TEST(EventRing, RoomSetAsideMovesWithTheSegment) {
  Ring r(256);
  r.ring.set_limit(1024);
  std::uint32_t pushes = 0;
  while (std::byte* room = r.ring.reserve(EventKind::kPush, sizeof(Numbered), 24)) {
    std::memset(room + sizeof(EventHeader), 0, 8);
    r.ring.set_aside(24);
    r.ring.commit();
    ++pushes;
  }
  EXPECT_GT(pushes, 20U);
  for (std::uint32_t i = 0; i < pushes; ++i) {
    ASSERT_NE(r.ring.reserve_from_aside(EventKind::kPop, 24), nullptr) << i << " of " << pushes;
    r.ring.commit();
  }
}

TEST(EventRing, DamageIsSkippedIntoTheNextSegment) {
  Ring r(128);
  r.ring.set_limit(1024);
  for (std::uint64_t i = 0; i < 20; ++i) ASSERT_TRUE(write_number(r.ring, i));
  const EventHeader damaged{4096, EventKind::kMark, 0};
  std::memcpy(r.memory.data(), &damaged, sizeof damaged);
  EXPECT_EQ(r.ring.front(), nullptr);
  EXPECT_TRUE(r.ring.take_damaged());
  EXPECT_EQ(r.ring.used(), 0U);
  ASSERT_TRUE(write_number(r.ring, 4));
  ASSERT_NE(r.ring.front(), nullptr);
  EXPECT_EQ(number_of(*r.ring.front()), 4U);
}

class EventRingOfTwoThreads : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, EventRingOfTwoThreads, testing::Values(4096U, 512U, 1U << 20));

TEST_P(EventRingOfTwoThreads, EveryEventOnceInOrderUndamaged) {
  Ring r(512);
  r.ring.set_limit(GetParam());
  constexpr std::uint64_t kEvents = 200'000;
  std::thread producer([&] {
    std::minstd_rand random(1);
    for (std::uint64_t i = 0; i < kEvents;) {
      if (write_number(r.ring, i, random() % 200))
        ++i;
      else
        std::this_thread::yield();
    }
  });
  std::uint64_t expected = 0;
  bool undamaged = true;
  while (expected < kEvents) {
    const EventHeader* header = r.ring.front();
    if (header == nullptr) {
      std::this_thread::yield();
      continue;
    }
    undamaged = undamaged && number_of(*header) == expected;
    const auto* bytes = reinterpret_cast<const unsigned char*>(header);
    if (header->bytes > sizeof(Numbered))
      undamaged = undamaged && bytes[sizeof(Numbered)] == (expected & 0xff);
    ++expected;
    r.ring.pop();
  }
  producer.join();
  EXPECT_TRUE(undamaged);
  EXPECT_EQ(r.ring.front(), nullptr);
}

}  // namespace
}  // namespace prof::collectors
