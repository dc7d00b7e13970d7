// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace prof::collectors {
namespace {

constexpr std::size_t kBytes = BufferPool::kBufferBytes;

bool is_zero(const std::uint8_t* buffer) {
  return std::all_of(buffer, buffer + kBytes, [](std::uint8_t byte) { return byte == 0; });
}

TEST(BufferPool, GivesOutAsManyAsTheCapHolds) {
  BufferPool pool(3 * kBytes + 17);
  std::set<std::uint8_t*> taken;
  for (int i = 0; i < 3; ++i) {
    std::uint8_t* buffer = pool.take();
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 8, 0U) << "what CUPTI asks for";
    EXPECT_TRUE(taken.insert(buffer).second);
  }
  EXPECT_EQ(pool.take(), nullptr);
  EXPECT_EQ(pool.taken(), 3U);
  pool.give_back(*taken.begin());
  EXPECT_EQ(pool.take(), *taken.begin());
  for (std::uint8_t* buffer : taken) pool.give_back(buffer);
}

TEST(BufferPool, ARetiredOneKeepsNothing) {
  BufferPool pool(2 * kBytes);
  std::uint8_t* late = pool.take();
  pool.give_back(pool.take());
  pool.retire();
  pool.give_back(late);
  // Neither is at hand: both are made again, and a third is not refused.
  std::uint8_t* const taken[] = {pool.take(), pool.take(), pool.take()};
  for (std::uint8_t* buffer : taken) {
    ASSERT_NE(buffer, nullptr);
    EXPECT_TRUE(is_zero(buffer));
    pool.give_back(buffer);
  }
}

TEST(BufferPool, ACapBelowOneBufferHoldsOne) {
  BufferPool pool(1);
  std::uint8_t* buffer = pool.take();
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(buffer);
}

TEST(BufferPool, BuffersComeZeroedEvenAfterUse) {
  BufferPool pool(kBytes);
  for (int round = 0; round < 2; ++round) {
    std::uint8_t* buffer = pool.take();
    ASSERT_NE(buffer, nullptr);
    EXPECT_TRUE(is_zero(buffer));
    std::memset(buffer, 0xff, kBytes);
    pool.give_back(buffer);
  }
}

TEST(BufferPool, AHintThatIsTooSmallStillGivesAZeroedBuffer) {
  BufferPool pool(kBytes);
  for (std::size_t used :
       {std::size_t{0}, std::size_t{1}, std::size_t{5000}, kBytes / 2, 2 * kBytes}) {
    std::uint8_t* buffer = pool.take();
    ASSERT_NE(buffer, nullptr);
    EXPECT_TRUE(is_zero(buffer)) << used;
    std::memset(buffer, 0xff, kBytes);
    pool.give_back(buffer, used);
  }
}

TEST(BufferPool, ExtraBuffersGoBeyondTheCapAndAreNotKept) {
  BufferPool pool(kBytes);
  std::uint8_t* pooled = pool.take();
  std::uint8_t* extra = pool.take_extra();
  ASSERT_NE(extra, nullptr);
  extra[kBytes - 1] = 1;
  EXPECT_EQ(pool.taken(), 2U);
  pool.give_back(extra);
  EXPECT_EQ(pool.take(), nullptr) << "the cap holds again";
  pool.give_back(pooled);
  EXPECT_EQ(pool.take(), pooled);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(pooled);
}

// A profiler that takes CUPTI over gets our buffers and does with them as with its own.
TEST(BufferPool, SomebodyElseMayFreeABuffer) {
  BufferPool pool(2 * kBytes);
  std::uint8_t* buffer = pool.take();
  ASSERT_NE(buffer, nullptr);
  std::free(buffer);
  std::uint8_t* another = pool.take();
  ASSERT_NE(another, nullptr);
  EXPECT_EQ(pool.take(), nullptr);
  pool.give_back(another);
}

TEST(BufferPool, ManyThreadsNeverShareABuffer) {
  BufferPool pool(8 * kBytes);
  std::vector<std::thread> threads;
  std::atomic<int> clashes{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        std::uint8_t* buffer = pool.take();
        if (buffer == nullptr) continue;
        if (buffer[0] != 0) ++clashes;
        buffer[0] = static_cast<std::uint8_t>(t + 1);
        std::this_thread::yield();
        if (buffer[0] != t + 1) ++clashes;
        pool.give_back(buffer);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clashes, 0);
  EXPECT_EQ(pool.taken(), 0U);
}

}  // namespace
}  // namespace prof::collectors
