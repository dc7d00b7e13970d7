// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls made while another call on the same thread is in progress, as from a signal handler; and
// events of all kinds with fewer bytes than they claim.
#include "collectors/core/reentry.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/recorder.hpp"
#include "tests/unit/collectors/core/collecting_sink.hpp"

namespace prof::collectors {
namespace {

using ApiDomain = ApiRecord::Domain;

class Reentry : public testing::Test {
 protected:
  void SetUp() override {
    current_thread();
    start();
    stop();  // What other tests left behind.
    start();
  }
  void TearDown() override {
    if (recorder != nullptr) stop();
  }
  void start() {
    sink = std::make_unique<CollectingSink>();
    auto started = Recorder::start(*sink, nullptr, nullptr);
    ASSERT_TRUE(started.ok());
    recorder = std::move(*started);
  }
  void stop() {
    EXPECT_TRUE(recorder->stop().ok());
    recorder.reset();
  }
  /// As the handlers of NVTX calls.
  static int push(const char* text, DomainId domain = kDefaultDomain) {
    const InsideCall inside;
    if (!inside.entered()) {
      refuse_push(domain);
      return -2;
    }
    ThreadState& thread = *current_thread();
    Annotation annotation;
    annotation.domain = domain;
    annotation.text_bytes = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(thread.stack.scratch(), text, annotation.text_bytes);
    return push_range(thread, recording_epoch(), annotation).level;
  }
  static int pop(DomainId domain = kDefaultDomain) {
    const InsideCall inside;
    if (!inside.entered()) {
      refuse_pop(domain);
      return -2;
    }
    return pop_range(*current_thread(), recording_epoch(), domain).level;
  }
  [[nodiscard]] bool is_closed(const char* text) const {
    const auto found = sink->ranges(text);  // With aliases.
    return !found.empty() && std::all_of(found.begin(), found.end(), [](const auto& range) {
      return range.record.end_ns != 0;
    });
  }
  /// Runs `action` where an event of this thread is reserved and not yet committed.
  template <typename Action>
  static void inside_another_call(Action action) {
    const InsideCall inside;
    ASSERT_TRUE(inside.entered());
    ThreadState& thread = *current_thread();
    std::byte* room = thread.ring.reserve(EventKind::kMark, sizeof(MarkEvent));
    action();
    MarkEvent event{{}, 0, now_ns(), {}};
    std::memcpy(&event.header, room, sizeof event.header);
    std::memcpy(room, &event, sizeof event);
    thread.ring.commit();
  }

  std::unique_ptr<CollectingSink> sink;
  std::unique_ptr<Recorder> recorder;
};

TEST_F(Reentry, ABalancedHandlerInsideACallLeavesNothingButACount) {
  EXPECT_EQ(push("outer"), 0);
  inside_another_call([] {
    EXPECT_LT(push("refused"), 0);
    EXPECT_EQ(api_enter(1, ApiDomain::kRuntime, 7, false), nullptr);
    EXPECT_EQ(api_enter(1, ApiDomain::kDriver, 300, false), nullptr);
    EXPECT_EQ(api_exit(ApiDomain::kDriver, 300, 0), nullptr);
    EXPECT_EQ(api_exit(ApiDomain::kRuntime, 7, 0), nullptr);
    EXPECT_LT(pop(), 0);
  });
  EXPECT_EQ(push("inner"), 1);
  EXPECT_EQ(pop(), 1);
  EXPECT_EQ(pop(), 0);
  stop();
  EXPECT_TRUE(is_closed("outer"));
  EXPECT_TRUE(is_closed("inner"));
  EXPECT_TRUE(sink->ranges("refused").empty());
  EXPECT_TRUE(sink->apis.empty());
  EXPECT_EQ(sink->marks.size(), 1U) << "the interrupted call";
  EXPECT_EQ(sink->lost(Loss::kInSignalHandler), 2U) << "a range and a launch";
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST_F(Reentry, APopAfterItsRefusedPushTakesNoOtherRange) {
  push("outer");
  inside_another_call([] { push("refused"); });
  EXPECT_EQ(pop(), 1) << "of the refused push";
  EXPECT_EQ(push("later"), 1);
  EXPECT_EQ(pop(), 1);
  EXPECT_EQ(pop(), 0);
  stop();
  EXPECT_TRUE(is_closed("outer"));
  EXPECT_TRUE(is_closed("later"));
  EXPECT_EQ(sink->lost(Loss::kInSignalHandler), 1U);
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST_F(Reentry, ARefusedPopIsMadeUpForWhenTheInterruptedCallIsOver) {
  push("outer");
  push("popped by a handler");
  inside_another_call([] { pop(); });
  EXPECT_EQ(push("after"), 1) << "one range was left";
  EXPECT_EQ(pop(), 1);
  EXPECT_EQ(pop(), 0);
  stop();
  EXPECT_TRUE(is_closed("popped by a handler"));
  EXPECT_EQ(sink->lost(Loss::kInSignalHandler), 1U);
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST_F(Reentry, EachDomainIsBalancedForItself) {
  const DomainId other{7};
  push("default");
  push("other", other);
  inside_another_call([other] {
    push("refused", other);
    pop();
  });
  EXPECT_EQ(pop(other), 1) << "of the refused push";
  EXPECT_EQ(pop(other), 0);
  EXPECT_LT(pop(), 0) << "was popped late";
  stop();
  EXPECT_TRUE(is_closed("default"));
  EXPECT_TRUE(is_closed("other"));
  EXPECT_EQ(sink->lost(Loss::kInSignalHandler), 2U);
  EXPECT_EQ(sink->lost(Loss::kUnbalancedPop), 1U);
}

TEST_F(Reentry, AHandlerThatNeverReturnsCostsItsThreadTheRestAndNoOther) {
  std::thread([] {
    push("before");
    pop();
    // What longjmp does: the guard is never left.
    alignas(InsideCall) std::byte never_left[sizeof(InsideCall)];
    new (never_left) InsideCall;
    for (int i = 0; i < 100; ++i) {
      EXPECT_LT(push("after"), 0);
      EXPECT_LT(pop(), 0);
    }
  }).join();
  push("another thread");
  pop();
  stop();
  EXPECT_TRUE(is_closed("before"));
  EXPECT_TRUE(is_closed("another thread"));
  EXPECT_EQ(sink->lost(Loss::kInSignalHandler), 100U);
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

TEST(SignalSafeMutex, HoldsSignalsBackWhileItIsHeld) {
  static volatile sig_atomic_t caught;
  caught = 0;
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { caught = caught + 1; };
  sigaction(SIGUSR1, &action, &before);
  SignalSafeMutex outer, inner;
  {
    const std::lock_guard first(outer);
    {
      const std::lock_guard second(inner);
      EXPECT_TRUE(signals_are_blocked());
      raise(SIGUSR1);
    }
    EXPECT_EQ(caught, 0) << "the outer one is still held";
  }
  EXPECT_EQ(caught, 1);
  EXPECT_FALSE(signals_are_blocked());
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(SignalSafeMutex, AForkingThreadTakesNoSignalsFromPrepareOn) {
  static volatile sig_atomic_t created;
  created = 0;
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) {
    created = global().objects.create_domain("of a handler during a fork") != 0 ? 1 : 0;
  };
  sigaction(SIGUSR1, &action, &before);
  global();
  fork_prepare();
  raise(SIGUSR1);
  EXPECT_EQ(created, 0);
  fork_parent();
  EXPECT_EQ(created, 1);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(MappedMemory, BlocksAreDistinctAlignedAndUsedAgain) {
  MappedMemory memory;
  std::map<std::uintptr_t, std::size_t> blocks;
  for (std::size_t bytes = 1; bytes < 400'000; bytes = bytes * 5 / 4 + 1) {
    auto* block = static_cast<std::byte*>(memory.allocate(bytes));
    std::memset(block, 0xff, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    EXPECT_EQ(address % 16, 0U);
    const auto above = blocks.upper_bound(address);
    if (above != blocks.end()) {
      EXPECT_LE(address + bytes, above->first);
    }
    if (above != blocks.begin()) {
      EXPECT_LE(std::prev(above)->first + std::prev(above)->second, address);
    }
    blocks[address] = bytes;
  }
  void* first = memory.allocate(100);
  memory.release(first, 100);
  EXPECT_EQ(memory.allocate(70), first) << "of the same size class";
  for (const auto& [address, bytes] : blocks) {
    memory.release(reinterpret_cast<void*>(address), bytes);  // NOLINT
  }
}

/// Puts bytes into the ring as an event of `kind` and lets the recorder find it.
void write_raw(EventKind kind, std::size_t bytes, const void* after_header,
               std::size_t after_header_bytes) {
  ThreadState& thread = *current_thread();
  std::byte* room = thread.ring.reserve(kind, bytes);
  ASSERT_NE(room, nullptr);
  std::memset(room + sizeof(EventHeader), 0x7f, bytes - sizeof(EventHeader));
  if (after_header_bytes != 0) {
    std::memcpy(room + sizeof(EventHeader), after_header, after_header_bytes);
  }
  thread.ring.commit();
}

TEST_F(Reentry, DamagedEventsAreCountedAndWhatFollowsIsKept) {
  push("before");
  pop();
  std::uint64_t damaged = 0;
  for (std::uint16_t kind = 1; kind < 40; ++kind) {
    write_raw(static_cast<EventKind>(kind), sizeof(EventHeader), nullptr, 0);
    ++damaged;
  }
  // Longer texts and blobs than the event holds.
  PushEvent told{};
  told.annotation.text_bytes = 60'000;
  write_raw(EventKind::kPush, sizeof told, reinterpret_cast<const char*>(&told) + 8,
            sizeof told - 8);
  MarkEvent mark{};
  mark.annotation.text_bytes = 1;
  write_raw(EventKind::kMark, sizeof mark, reinterpret_cast<const char*>(&mark) + 8,
            sizeof mark - 8);
  BlobEvent blob{};
  blob.bytes = 0xffffffff;
  write_raw(EventKind::kBlob, sizeof blob, reinterpret_cast<const char*>(&blob) + 8,
            sizeof blob - 8);
  write_raw(EventKind::kApi, sizeof(ApiEvent), nullptr, 0);  // Of an API that there is not.
  damaged += 4;
  push("after");
  pop();
  // Last of all: a header that says nothing of where the next event begins.
  ThreadState& thread = *current_thread();
  std::byte* room = thread.ring.reserve(EventKind::kMark, sizeof(MarkEvent));
  std::memset(room, 0, sizeof(MarkEvent));
  thread.ring.commit();
  ++damaged;
  stop();
  EXPECT_TRUE(is_closed("before"));
  EXPECT_TRUE(is_closed("after"));
  EXPECT_EQ(sink->lost(Loss::kDamagedEvent), damaged);
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
}

}  // namespace
}  // namespace prof::collectors
