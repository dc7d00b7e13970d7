// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The source of operating system calls, with reports made by hand instead of by libprof_osrt.so.
#include "collectors/osrt/osrt_source.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/reentry.hpp"
#include "collectors/core/write_event.hpp"
#include "collectors/osrt/own_code.hpp"
#include "libprof/base/clock.hpp"
#include "tests/unit/collectors/core/collecting_sink.hpp"

namespace prof::collectors {
namespace {

constexpr const char* kNames[] = {"read", "poll", "sleep"};
constexpr std::int64_t kThreshold = 1'000;

std::string g_printed;

/// What the records of this kind say, as text.
struct Sink final : test::IgnoringSink {
  using IgnoringSink::on;
  void on(const StringRecord& record) override { strings.on(record); }
  void on(const ThreadRecord& record) override { strings.on(record); }
  void on(const LossRecord& record) override { strings.on(record); }
  void on(const MetaRecord& record) override { strings.on(record); }
  void on(const OsCallRecord& record) override {
    calls.push_back(strings.text(record.function) + " " +
                    std::to_string(record.end_ns - record.start_ns));
    records.push_back(record);
  }
  CollectingSink strings;
  std::vector<std::string> calls;
  std::vector<OsCallRecord> records;
};

class Osrt : public testing::Test {
 protected:
  void start(std::int64_t threshold_ns = kThreshold) {
    source = std::make_unique<OsrtSource>(&calls, threshold_ns,
                                          [](std::string_view line) noexcept { g_printed = line; });
    sink = std::make_unique<Sink>();
    auto started = Recorder::start(*sink, source.get(), nullptr);
    ASSERT_TRUE(started.ok());
    recorder = std::move(*started);
    source->connect(*recorder);
  }
  void stop() {
    source->end_events(End::kStop);
    recorder->stop_events();
    source->stop(End::kStop, true);
    EXPECT_TRUE(recorder->stop().ok());
    recorder.reset();
  }
  void TearDown() override {
    if (recorder != nullptr) stop();
  }
  /// As libprof_osrt.so does after a call of the program, which is not in this library's code.
  void call(std::uint32_t function, std::int64_t ns, const void* caller = nullptr,
            std::int64_t ago_ns = 0) {
    if (const auto report = calls.report.load()) {
      const std::int64_t start_ns = now_ns() - ago_ns;
      report(function, start_ns, start_ns + ns, caller);
    }
  }

  OsCalls calls{sizeof(OsCalls), 3, kNames, nullptr};
  std::unique_ptr<OsrtSource> source;
  std::unique_ptr<Sink> sink;
  std::unique_ptr<Recorder> recorder;
};

TEST_F(Osrt, CallsAreRecordedWithNameThreadAndTimes) {
  start();
  call(0, 5'000);
  call(2, kThreshold);
  ThreadId other;
  std::thread([&] {
    call(1, 7'000);
    other = current_thread()->id;
  }).join();
  stop();
  EXPECT_EQ(sink->calls.size(), 3U);
  for (const OsCallRecord& record : sink->records) {
    const std::string name = sink->strings.text(record.function);
    EXPECT_EQ(record.thread, name == "poll" ? other : current_thread()->id);
    EXPECT_EQ(record.stack, 0U);
    EXPECT_EQ(record.end_ns - record.start_ns, name == "poll"   ? 7'000
                                               : name == "read" ? 5'000
                                                                : kThreshold);
  }
  EXPECT_EQ(sink->strings.undefined_texts, 0U);
}

TEST_F(Osrt, ShorterOnesAreCounted) {
  start();
  for (int i = 0; i < 10; ++i) call(0, kThreshold - 1);
  call(0, kThreshold);
  stop();
  EXPECT_EQ(sink->calls, std::vector<std::string>{"read 1000"});
  EXPECT_EQ(sink->strings.metas["os_calls_shorter"], "10");
  // Each capture counts its own.
  start();
  call(0, 1);
  stop();
  EXPECT_EQ(sink->strings.metas["os_calls_shorter"], "1");
}

TEST_F(Osrt, NothingIsReportedBeforeAndAfter) {
  EXPECT_EQ(calls.report.load(), nullptr);
  start();
  const auto report = calls.report.load();
  ASSERT_NE(report, nullptr);
  stop();
  EXPECT_EQ(calls.report.load(), nullptr);
  // A call that returns now.
  report(0, now_ns(), now_ns() + 5'000, nullptr);
  EXPECT_TRUE(sink->calls.empty());
  // One that began before the capture in which it returns.
  start();
  call(0, 2'000'000'000, nullptr, 1'000'000'000);
  stop();
  EXPECT_TRUE(sink->calls.empty());
  EXPECT_TRUE(sink->strings.losses.empty());
}

TEST_F(Osrt, TheCollectorsOwnCallsAreNotRecorded) {
  const CodeRange own = own_code();
  EXPECT_TRUE(own.holds(reinterpret_cast<const void*>(own.begin)));
  EXPECT_TRUE(own.holds(reinterpret_cast<const void*>(&own_code)));
  EXPECT_FALSE(own.holds(&own));
  EXPECT_FALSE(own.holds(reinterpret_cast<const void*>(own.end)));
  start();
  call(0, 5'000, reinterpret_cast<const void*>(&own_code));
  run_on_internal_thread("own", [this] { call(0, 5'000); });
  stop();
  EXPECT_TRUE(sink->calls.empty());
  EXPECT_TRUE(sink->strings.losses.empty());
}

TEST_F(Osrt, ACallOfAHandlerThatInterruptedTheCollectorIsCounted) {
  start();
  current_thread();
  {
    const InsideCall inside;
    call(0, 5'000);
    // Its own call meanwhile is none of the program's.
    call(0, 5'000, reinterpret_cast<const void*>(&own_code));
  }
  call(1, 5'000);
  stop();
  EXPECT_EQ(sink->calls, std::vector<std::string>{"poll 5000"});
  EXPECT_EQ(sink->strings.lost(Loss::kInSignalHandler), 1U);
}

TEST_F(Osrt, ErrnoStaysAsItWas) {
  start();
  errno = 123;
  std::thread([this] {  // Its first event maps memory.
    errno = 77;
    call(0, 5'000);
    EXPECT_EQ(errno, 77);
  })
      .join();
  call(0, 5'000);
  EXPECT_EQ(errno, 123);
}

TEST_F(Osrt, AChildOfVforkIsNotItsParent) {
  start();
  const pid_t child = vfork();
  if (child == 0) {
    call(0, 5'000);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  call(1, 5'000);
  stop();
  EXPECT_EQ(sink->calls, std::vector<std::string>{"poll 5000"});
}

TEST_F(Osrt, DamagedEventsAreNotRead) {
  start();
  call(0, 5'000);  // The thread is part of the session.
  struct Short {
    EventHeader header;
  } brief{};
  write_event(*current_thread(), kOsCallEvent, brief);
  call(3, 5'000);  // No such function.
  stop();
  EXPECT_EQ(sink->calls, std::vector<std::string>{"read 5000"});
  EXPECT_EQ(sink->strings.lost(Loss::kDamagedEvent), 2U);
}

TEST_F(Osrt, WithoutTheLibraryItSaysSo) {
  OsrtSource none(nullptr, kThreshold, [](std::string_view line) noexcept { g_printed = line; });
  std::string fact;
  none.facts([&](std::string_view key, const std::string& value) {
    fact.append(key).append(": ").append(value);
  });
  EXPECT_EQ(fact, "os_calls: libprof_osrt.so was not preloaded");
  start();
  none.connect(*recorder);
  EXPECT_NE(g_printed.find("libprof_osrt.so is not preloaded"), std::string::npos);
  none.end_events(End::kExit);
  none.stop(End::kExit, false);
}

}  // namespace
}  // namespace prof::collectors
