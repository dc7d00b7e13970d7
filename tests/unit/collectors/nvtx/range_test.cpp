// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ranges and marks as programs make them, through NVTX's own headers.
#include <nvtx3/nvToolsExt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/unit/collectors/nvtx/capture_fixture.hpp"

namespace prof::collectors {
namespace {

class NvtxRange : public CaptureTest {};

nvtxEventAttributes_t event(const char* text) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

TEST_F(NvtxRange, PushAndPopMakeARangeWithParentTimesAndLevels) {
  start();
  EXPECT_EQ(nvtxRangePushA("outer"), 0);
  EXPECT_EQ(nvtxRangePushW(L"inn\x00e9r"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  stop_clean();
  const auto outer = only("outer").record;
  const auto inner = only("inn\xc3\xa9r").record;
  EXPECT_EQ(inner.parent, outer.id);
  EXPECT_EQ(outer.parent, 0U);
  EXPECT_EQ(outer.kind, RangeRecord::Kind::kPushPop);
  EXPECT_EQ(outer.domain, kDefaultDomain);
  EXPECT_EQ(outer.thread, outer.end_thread);
  EXPECT_TRUE(sink->threads.contains(outer.thread.value));
  EXPECT_LE(outer.start_ns, inner.start_ns);
  EXPECT_LE(inner.start_ns, inner.end_ns);
  EXPECT_LE(inner.end_ns, outer.end_ns);
  EXPECT_GT(outer.start_ns, 1'600'000'000'000'000'000) << "REALTIME";
}

TEST_F(NvtxRange, APopWithoutAPushIsNegativeAndCounted) {
  start();
  EXPECT_LT(nvtxRangePop(), 0);
  EXPECT_EQ(nvtxRangePushA("one"), 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_LT(nvtxRangePop(), 0);
  stop();
  EXPECT_EQ(sink->lost(Loss::kUnbalancedPop), 2U);
  EXPECT_EQ(sink->losses.size(), 1U);
}

TEST_F(NvtxRange, AttributesAreKept) {
  start();
  nvtxEventAttributes_t attributes = event("attributes");
  attributes.category = 42;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xff00ff80;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = 1.5;
  nvtxRangePushEx(&attributes);
  nvtxRangePop();
  stop_clean();
  const auto record = only("attributes").record;
  EXPECT_EQ(record.category, 42U);
  EXPECT_EQ(record.color_argb, 0xff00ff80U);
  EXPECT_EQ(record.payload.type, Payload::Type::kDouble);
  EXPECT_EQ(record.payload.bits, 0x3ff8000000000000U);
}

TEST_F(NvtxRange, AllSixPayloadTypesWithTheirBits) {
  struct Case {
    std::int32_t type;
    Payload::Type expected;
    std::uint64_t bits;
  };
  // Garbage in the upper half must not show in 32-bit types.
  const Case cases[] = {
      {NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, Payload::Type::kUint64, 0xfedcba9876543210},
      {NVTX_PAYLOAD_TYPE_INT64, Payload::Type::kInt64, 0xfedcba9876543210},
      {NVTX_PAYLOAD_TYPE_DOUBLE, Payload::Type::kDouble, 0xfedcba9876543210},
      {NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, Payload::Type::kUint32, 0x76543210},
      {NVTX_PAYLOAD_TYPE_INT32, Payload::Type::kInt32, 0x76543210},
      {NVTX_PAYLOAD_TYPE_FLOAT, Payload::Type::kFloat, 0x76543210},
      {NVTX_PAYLOAD_UNKNOWN, Payload::Type::kNone, 0},
  };
  start();
  for (const Case& one : cases) {
    nvtxEventAttributes_t attributes = event("payload");
    attributes.payloadType = one.type;
    attributes.payload.ullValue = 0xfedcba9876543210;
    nvtxMarkEx(&attributes);
  }
  nvtxEventAttributes_t unknown = event("payload");
  unknown.payloadType = 99;
  nvtxMarkEx(&unknown);
  stop();
  ASSERT_EQ(sink->marks.size(), std::size(cases) + 1);
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(sink->marks[i].record.payload.type, cases[i].expected) << i;
    EXPECT_EQ(sink->marks[i].record.payload.bits, cases[i].bits) << i;
  }
  EXPECT_EQ(sink->lost(Loss::kPayloadNotKept), 1U) << "the type that does not exist";
}

TEST_F(NvtxRange, NullsAndOddStructsAreKeptAndCountedAndNeverCrash) {
  start();
  EXPECT_EQ(nvtxRangePushA(nullptr), 0);
  EXPECT_EQ(nvtxRangePushW(nullptr), 1);
  EXPECT_EQ(nvtxRangePushEx(nullptr), 2);
  EXPECT_EQ(nvtxDomainRangePushEx(nullptr, nullptr), 3);
  nvtxEventAttributes_t attributes = event("not read");
  attributes.size = 0;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 4);
  attributes.size = 8;  // Version, size and category only.
  attributes.category = 5;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 5);
  struct Larger {
    nvtxEventAttributes_t ours;
    std::uint64_t of_a_later_version[4];
  } larger{event("larger"), {1, 2, 3, 4}};
  larger.ours.size = sizeof larger;
  larger.ours.version = 9;
  EXPECT_EQ(nvtxRangePushEx(&larger.ours), 6);
  attributes = event("no such type");
  attributes.messageType = 77;
  EXPECT_EQ(nvtxRangePushEx(&attributes), 7);
  for (int level = 7; level >= 0; --level) EXPECT_EQ(nvtxRangePop(), level);
  nvtxMarkA(nullptr);
  nvtxMarkW(nullptr);
  nvtxMarkEx(nullptr);
  nvtxDomainMarkEx(nullptr, nullptr);
  nvtxRangeEnd(nvtxRangeStartA(nullptr));
  nvtxRangeEnd(nvtxRangeStartW(nullptr));
  nvtxRangeEnd(nvtxRangeStartEx(nullptr));
  nvtxDomainRangeEnd(nullptr, nvtxDomainRangeStartEx(nullptr, nullptr));
  nvtxDomainDestroy(nullptr);
  stop();
  EXPECT_EQ(sink->ranges().size(), 12U);
  EXPECT_EQ(sink->marks.size(), 4U);
  EXPECT_EQ(sink->ranges("larger").size(), 1U);
  EXPECT_EQ(sink->ranges("").size(), 11U);
  int with_category = 0;
  for (const auto& range : sink->ranges("")) with_category += range.record.category == 5;
  EXPECT_EQ(with_category, 1) << "what a short struct does hold is read";
  EXPECT_EQ(sink->lost(Loss::kNvtxCallNotKept), 3U) << "two short structs, one message type";
  EXPECT_EQ(sink->losses.size(), 1U);
}

TEST_F(NvtxRange, TextsOfEveryOddForm) {
  const std::string invalid = "bad \xff\xfe\xc3 utf8";
  const std::string limit(kMaxTextBytes, 'x');
  const std::string huge(5'000'000, 'y');
  std::string umlauts;
  while (umlauts.size() <= kMaxTextBytes) umlauts += "\xc3\xa4";
  const std::string odd = "a" + umlauts;  // A sequence lies across the limit.
  const std::wstring wide_huge(100'000, L'\x20ac');
  const wchar_t wide_invalid[] = {L'a',
                                  static_cast<wchar_t>(0xd800),
                                  static_cast<wchar_t>(0x110000),
                                  static_cast<wchar_t>(-1),
                                  static_cast<wchar_t>(0x1f600),
                                  0};
  start();
  for (const std::string& text : {std::string(), invalid, limit, huge, odd}) {
    nvtxMarkA(text.c_str());
  }
  nvtxMarkW(L"");
  nvtxMarkW(wide_huge.c_str());
  nvtxMarkW(wide_invalid);
  nvtxMarkA("line\nbreak\t\"quote\" \x01");
  stop();
  ASSERT_EQ(sink->marks.size(), 9U);
  EXPECT_EQ(sink->marks[0].text, "");
  EXPECT_EQ(sink->marks[1].text, invalid) << "byte for byte";
  EXPECT_EQ(sink->marks[2].text, limit) << "exactly the limit is kept";
  EXPECT_EQ(sink->marks[3].text, huge.substr(0, kMaxTextBytes));
  EXPECT_EQ(sink->marks[4].text, odd.substr(0, kMaxTextBytes - 1)) << "not cut inside a sequence";
  EXPECT_EQ(sink->marks[5].text, "");
  EXPECT_EQ(sink->marks[6].text.size(), kMaxTextBytes / 3 * 3);
  EXPECT_EQ(sink->marks[7].text, "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80");
  EXPECT_EQ(sink->marks[8].text, "line\nbreak\t\"quote\" \x01");
  EXPECT_EQ(sink->lost(Loss::kTextTruncated), 3U);
  EXPECT_EQ(sink->losses.size(), 1U);
}

TEST_F(NvtxRange, OutOfOrderPopsOverTwoDomainsMakeAliases) {
  nvtxDomainHandle_t a = nvtxDomainCreateA("A");
  nvtxDomainHandle_t b = nvtxDomainCreateW(L"B");
  const nvtxEventAttributes_t lower = event("a"), middle = event("b"), upper = event("a2");
  start();
  nvtxDomainRangePushEx(a, &lower);
  nvtxDomainRangePushEx(b, &middle);
  EXPECT_EQ(nvtxDomainRangePushEx(a, &upper), 1);
  EXPECT_EQ(nvtxDomainRangePop(b), 0) << "b's own, though a2 lies above it";
  nvtxMarkA("on a/a2");
  EXPECT_EQ(nvtxDomainRangePop(a), 1);
  nvtxMarkA("on a");
  EXPECT_EQ(nvtxDomainRangePop(a), 0);
  nvtxMarkA("on nothing");
  stop_clean();
  ASSERT_EQ(sink->marks.size(), 3U);
  EXPECT_EQ(sink->stack(sink->marks[0].record.parent), "a/a2");
  EXPECT_EQ(sink->stack(sink->marks[1].record.parent), "a");
  EXPECT_EQ(sink->marks[2].record.parent, 0U);
  const auto found = sink->ranges("a2");
  ASSERT_EQ(found.size(), 2U);
  const auto& original = found[0].record;
  const auto& alias = found[1].record;
  EXPECT_EQ(sink->stack(original.id), "a/b/a2");
  EXPECT_EQ(alias.kind, RangeRecord::Kind::kAlias);
  EXPECT_EQ(alias.alias_of, original.id);
  EXPECT_EQ(alias.start_ns, original.start_ns);
  EXPECT_EQ(alias.end_ns, original.end_ns);
  EXPECT_EQ(sink->domains.at(original.domain.value), "A");
  EXPECT_EQ(sink->domains.at(only("b").record.domain.value), "B");
  nvtxDomainDestroy(a);
  nvtxDomainDestroy(b);
}

/// Whole stacks that are taken down from below: no range has more aliases than stacks on which
/// something happens.
TEST_F(NvtxRange, PopsWithNothingBetweenThemMakeNoAliases) {
  constexpr int kDeep = 1000;
  nvtxDomainHandle_t a = nvtxDomainCreateA("lower");
  nvtxDomainHandle_t b = nvtxDomainCreateA("upper");
  const nvtxEventAttributes_t lower = event("a"), upper = event("b");
  start();
  for (int i = 0; i < kDeep; ++i) nvtxDomainRangePushEx(a, &lower);
  for (int i = 0; i < kDeep; ++i) nvtxDomainRangePushEx(b, &upper);
  for (int i = 0; i < kDeep - 1; ++i) nvtxDomainRangePop(a);
  nvtxMarkA("on a and all of b");
  nvtxDomainRangePop(a);
  for (int i = 0; i < kDeep - 1; ++i) nvtxDomainRangePop(b);
  nvtxMarkA("on b");
  nvtxDomainRangePop(b);
  stop_clean();
  std::string all = "a";
  for (int i = 0; i < kDeep; ++i) all += "/b";
  ASSERT_EQ(sink->marks.size(), 2U);
  EXPECT_EQ(sink->stack(sink->marks[0].record.parent), all);
  EXPECT_EQ(sink->stack(sink->marks[1].record.parent), "b");
  EXPECT_EQ(sink->ranges("a").size(), std::size_t{kDeep});
  EXPECT_EQ(sink->ranges("b").size(), std::size_t{2 * kDeep + 1});
  nvtxDomainDestroy(a);
  nvtxDomainDestroy(b);
}

TEST_F(NvtxRange, RangesOfTheProcessMayEndOnAnotherThreadAndAreNoParents) {
  start();
  const nvtxRangeId_t id = nvtxRangeStartA("process");
  EXPECT_NE(id, 0U);
  nvtxMarkA("mark");
  const nvtxRangeId_t other = nvtxRangeStartW(L"never ended");
  std::thread([id] { nvtxRangeEnd(id); }).join();
  nvtxRangeEnd(id);  // A second time.
  nvtxRangeEnd(0);
  nvtxRangeEnd(0xdeadbeef00000000);
  stop();
  const auto record = only("process").record;
  EXPECT_EQ(record.kind, RangeRecord::Kind::kStartEnd);
  EXPECT_NE(record.thread, record.end_thread);
  EXPECT_TRUE(sink->threads.contains(record.end_thread.value));
  EXPECT_GE(record.end_ns, record.start_ns);
  EXPECT_EQ(sink->marks[0].record.parent, 0U);
  EXPECT_EQ(only("never ended").record.end_ns, 0);
  EXPECT_EQ(sink->lost(Loss::kUnknownRangeEnd), 3U);
  EXPECT_EQ(sink->lost(Loss::kUnclosedRange), 1U);
  nvtxRangeEnd(other);
}

TEST_F(NvtxRange, RegisteredStringsAreToldOnceAndSharedByText) {
  nvtxStringHandle_t first = nvtxDomainRegisterStringA(nullptr, "registered");
  nvtxStringHandle_t again = nvtxDomainRegisterStringW(nullptr, L"registered");
  EXPECT_EQ(first, again);
  nvtxEventAttributes_t attributes = event("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = first;
  for (int session = 0; session < 2; ++session) {
    start();
    for (int i = 0; i < 1000; ++i) {
      nvtxRangePushEx(&attributes);
      nvtxRangePop();
    }
    attributes.message.registered = nullptr;
    nvtxMarkEx(&attributes);
    attributes.message.registered = first;
    stop_clean();
    EXPECT_EQ(sink->ranges("registered").size(), 1000U);
    EXPECT_EQ(sink->marks.at(0).text, "");
  }
}

TEST_F(NvtxRange, TextsWithNumbersComeBackByteForByte) {
  start();
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) {
    texts.push_back("aten::mm, seq = " + std::to_string(i * 1000) +
                    ", op_id = " + std::to_string(i));
    nvtxRangePushA(texts.back().c_str());
    nvtxRangePop();
  }
  stop_clean();
  for (const std::string& text : texts) EXPECT_EQ(sink->ranges(text).size(), 1U) << text;
}

TEST_F(NvtxRange, SessionsTellWhatIsOpenAndCountWhatIsNot) {
  nvtxRangePushA("before");
  nvtxRangePushA("outside");
  nvtxRangePop();
  nvtxMarkA("outside");
  const nvtxRangeId_t process = nvtxRangeStartA("process before");
  nvtxRangeEnd(nvtxRangeStartA("outside"));
  start();
  nvtxRangePushA("first");
  nvtxRangePushA("over both");
  stop();
  EXPECT_EQ(sink->stack(only("over both").record.id), "before/first/over both");
  EXPECT_EQ(only("over both").record.end_ns, 0);
  EXPECT_EQ(only("process before").record.end_ns, 0);
  EXPECT_EQ(sink->lost(Loss::kBeforeStart), 3U);
  EXPECT_EQ(sink->lost(Loss::kUnclosedRange), 4U);
  EXPECT_EQ(sink->marks.size(), 0U);
  nvtxRangePushA("between");
  start();
  nvtxMarkA("now");
  nvtxRangePop();  // between
  nvtxRangePop();  // over both
  nvtxRangePop();  // first
  nvtxRangeEnd(process);
  nvtxRangePop();  // before
  stop_clean();
  EXPECT_EQ(sink->stack(sink->marks.at(0).record.parent), "before/first/over both/between");
  EXPECT_EQ(sink->ranges().size(), 5U);
  for (const auto& [id, range] : sink->ranges()) EXPECT_NE(range.record.end_ns, 0) << range.text;
}

TEST_F(NvtxRange, TooDeepIsCountedAndEverythingElseRight) {
  constexpr int kDeep = 5000;
  start();
  for (int i = 0; i < kDeep; ++i) ASSERT_EQ(nvtxRangePushA("deep"), i);
  for (int i = kDeep - 1; i >= 0; --i) ASSERT_EQ(nvtxRangePop(), i);
  stop();
  EXPECT_EQ(sink->ranges("deep").size() + sink->lost(Loss::kStackTooDeep),
            static_cast<std::size_t>(kDeep));
  EXPECT_GT(sink->lost(Loss::kStackTooDeep), 0U);
  EXPECT_EQ(sink->losses.size(), 1U);
}

TEST_F(NvtxRange, WhereAThreadHasNoMemoryItsCallsAreCountedAsThat) {
#if defined(PROF_SANITIZED)
  GTEST_SKIP() << "a sanitizer's own memory does not fit into the limit";
#endif
  constexpr int kThreads = 200;  // More than the rest of a mapping has room for.
  const std::uint64_t not_kept = global().losses.total(Loss::kNvtxCallNotKept);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<int> waiting{0}, done{0};
    std::atomic<bool> may_begin{false};
    for (int i = 0; i < kThreads; ++i) {
      std::thread([&] {
        ++waiting;
        while (!may_begin.load()) usleep(1'000);
        nvtxRangePushA("a");
        nvtxRangePop();
        ++done;
        pause();
      }).detach();
    }
    while (waiting.load() < kThreads) usleep(1'000);
    const struct rlimit no_more { 1, 1 };
    setrlimit(RLIMIT_AS, &no_more);
    may_begin.store(true);
    while (done.load() < kThreads) usleep(1'000);
    const std::uint64_t lost = global().losses.total(Loss::kNoThreadMemory);
    const bool is_each_call = lost % 2 == 0 && lost != 0 && lost < 2 * kThreads;
    _exit(is_each_call && global().losses.total(Loss::kNvtxCallNotKept) == not_kept ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(NvtxRange, AFullRingLosesWholeRangesAndCountsEachOnce) {
  global().ring_bytes = 16 * 1024;
  start();
  // Faster than any worker: whatever is kept and whatever is counted make up all calls.
  constexpr std::size_t kThreads = 2, kOuter = 2000, kInner = 10;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (std::size_t i = 0; i < kOuter; ++i) {
        nvtxRangePushA("outer range with a text of some length");
        for (std::size_t j = 0; j < kInner; ++j) {
          nvtxRangePushA("inner");
          nvtxMarkA("mark");
          nvtxRangePop();
        }
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop();
  global().ring_bytes = 2U << 20;
  const std::size_t calls = kThreads * kOuter * (1 + 2 * kInner);
  const auto ranges = sink->ranges();
  EXPECT_EQ(ranges.size() + sink->marks.size() + sink->lost(Loss::kRingFull), calls);
  EXPECT_GT(sink->lost(Loss::kRingFull), 0U) << "the test means to overflow";
  EXPECT_EQ(sink->losses.size(), 1U) << testing::PrintToString(sink->losses);
  for (const auto& [id, range] : ranges) {
    EXPECT_NE(range.record.end_ns, 0) << "a range that was told is also ended";
    EXPECT_TRUE(range.record.parent == 0 || ranges.contains(range.record.parent));
  }
}

TEST_F(NvtxRange, ManyThreadsAtOnceEachWithItsOwnStack) {
  constexpr int kThreads = 8, kRounds = 2000;
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([t] {
      const std::string name = "thread " + std::to_string(t);
      nvtxDomainHandle_t domain = nvtxDomainCreateA(name.c_str());
      const nvtxEventAttributes_t inner = event("inner");
      for (int i = 0; i < kRounds; ++i) {
        nvtxRangePushA(name.c_str());
        nvtxDomainRangePushEx(domain, &inner);
        nvtxRangePop();  // Out of order every time.
        nvtxMarkA("moved");
        nvtxDomainRangePop(domain);
        const nvtxRangeId_t id = nvtxRangeStartA("process");
        nvtxRangeEnd(id);
      }
      nvtxDomainDestroy(domain);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop();
  if (sink->lost(Loss::kRingFull) == 0) {
    EXPECT_EQ(sink->ranges("process").size(), static_cast<std::size_t>(kThreads * kRounds));
    EXPECT_EQ(sink->ranges("inner").size(), static_cast<std::size_t>(2 * kThreads * kRounds))
        << "with aliases";
    for (int t = 0; t < kThreads; ++t) {
      EXPECT_EQ(sink->ranges("thread " + std::to_string(t)).size(),
                static_cast<std::size_t>(kRounds));
    }
  }
  const auto ranges = sink->ranges();
  for (const auto& [id, range] : ranges) {
    if (range.record.parent == 0) continue;
    EXPECT_EQ(ranges.at(range.record.parent).record.thread, range.record.thread);
  }
}

TEST_F(NvtxRange, StartingAndStoppingWhileThreadsWork) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!done.load(std::memory_order_relaxed)) {
        nvtxRangePushA("outer");
        nvtxRangePushA("inner");
        nvtxMarkA("mark");
        nvtxRangePop();
        nvtxRangePop();
        const nvtxRangeId_t id = nvtxRangeStartA("process");
        nvtxRangeEnd(id);
      }
    });
  }
  for (int session = 0; session < 20; ++session) {
    start();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    stop();
    const auto ranges = sink->ranges();
    for (const auto& [id, range] : ranges) {
      if (range.text == "inner" && range.record.parent != 0) {
        ASSERT_EQ(ranges.at(range.record.parent).text, "outer");
      }
    }
    EXPECT_EQ(sink->lost(Loss::kUnbalancedPop), 0U);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace prof::collectors
