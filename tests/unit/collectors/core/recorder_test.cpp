// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The recorder with hand-made events: API calls, buffers, a slow sink, sessions.
#include "collectors/core/recorder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "collectors/core/api_calls.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/write_event.hpp"
#include "tests/support/ignoring_sink.hpp"
#include "tests/support/range_order.hpp"
#include "tests/unit/collectors/core/collecting_sink.hpp"

namespace prof::collectors {
namespace {

using ApiDomain = ApiRecord::Domain;

struct FakeDecoder final : BufferDecoder, RecorderClient {
  void decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) override {
    for (std::size_t i = 0; i < valid_bytes; ++i) {
      KernelRecord kernel;
      kernel.correlation = buffer[i];
      kernel.name = sink.intern("kernel_" + std::to_string(buffer[i] % 2));
      sink.on(kernel);
    }
  }
  void release(std::uint8_t*) override { ++released; }
  std::string_view api_name(ApiDomain domain, std::uint32_t cbid) override {
    ++names_asked;
    if (domain == ApiDomain::kDriver) return "cuLaunchKernel";
    return cbid == 7 ? "cudaLaunchKernel" : "cudaMemcpy";
  }
  void tick(ActivitySink&, bool last) override {
    ++ticks;
    if (last) ++last_ticks;
    if (last && on_last) on_last();
  }
  std::atomic<int> released{0};
  int names_asked = 0, ticks = 0, last_ticks = 0;
  std::function<void()> on_last;
};

std::unique_ptr<Recorder> start(RecordSink& sink, RecorderClient* client, BufferDecoder* decoder,
                                const RecorderOptions& options = {}) {
  auto recorder = Recorder::start(sink, client, decoder, options);
  EXPECT_TRUE(recorder.ok());
  return std::move(*recorder);
}
std::unique_ptr<Recorder> start(RecordSink& sink, FakeDecoder* decoder,
                                const RecorderOptions& options = {}) {
  return start(sink, decoder, decoder, options);
}

void push(const char* text, DomainId domain = kDefaultDomain) {
  ThreadState& thread = *current_thread();
  Annotation annotation;
  annotation.domain = domain;
  annotation.text_bytes = static_cast<std::uint32_t>(std::strlen(text));
  std::memcpy(thread.stack.scratch(), text, annotation.text_bytes);
  push_range(thread, recording_epoch(), annotation);
}
void pop(DomainId domain = kDefaultDomain) {
  pop_range(*current_thread(), recording_epoch(), domain);
}

TEST(Recorder, ACallThatACaptureCutsHoldsNoLaterOnes) {
  CollectingSink first, second;
  FakeDecoder decoder;
  {
    const auto recorder = start(first, &decoder);
    ASSERT_NE(api_enter(1, ApiDomain::kRuntime, 7, false), nullptr);
    ASSERT_TRUE(recorder->stop().ok());
  }
  const auto recorder = start(second, &decoder);
  ASSERT_NE(api_enter(2, ApiDomain::kRuntime, 8, false), nullptr);
  api_exit(ApiDomain::kRuntime, 8, 0);
  api_exit(ApiDomain::kRuntime, 7, 0);  // its late end
  ASSERT_TRUE(recorder->stop().ok());
  ASSERT_EQ(second.apis.size(), 1u);
  EXPECT_EQ(second.apis[0].correlation, 2u);
  EXPECT_EQ(second.apis[0].depth, 0u);
}

TEST(Recorder, DocumentsAreInEveryCaptureOnce) {
  ProgramObjects& objects = global().objects;
  objects.add_document("kind", "before", "1");
  const std::vector<std::string> all = {"kind before 1", "kind during 2", "other during 3"};
  for (int capture = 0; capture < 2; ++capture) {
    CollectingSink sink;
    const auto recorder = start(sink, nullptr, nullptr);
    objects.add_document("kind", "during", "2");
    objects.add_document("other", "during", "3");
    objects.add_document("kind", "before", "another text");
    ASSERT_TRUE(recorder->stop().ok());
    EXPECT_EQ(sink.documents, all);
  }
}

TEST(ProgramObjects, DocumentsBeyondTheRoomAreCounted) {
  LossCounters losses;
  ProgramObjects objects(losses);
  const std::string large(200 << 20, 'x');
  objects.add_document("large", "1", large);
  objects.add_document("large", "2", large);
  std::size_t seen = 0;
  EXPECT_EQ(objects.documents_since(seen).size(), 1u);
  EXPECT_EQ(losses.total(Loss::kDocumentNotKept), 1u);
}

TEST(Recorder, AnApiCallHasItsStackNameAndTimes) {
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  push("step");
  push("layer");
  ASSERT_NE(api_enter(41, ApiDomain::kRuntime, 7, false), nullptr);
  ASSERT_NE(api_enter(41, ApiDomain::kDriver, 300, false), nullptr);
  api_exit(ApiDomain::kDriver, 300, 0);
  ApiFrame* frame = api_exit(ApiDomain::kRuntime, 7, 2);
  ASSERT_NE(frame, nullptr);
  EXPECT_FALSE(frame->graph_node_created);
  pop();
  pop();
  ASSERT_TRUE(recorder->stop().ok());
  ASSERT_EQ(sink.apis.size(), 1U) << "a call inside a recorded call is not recorded";
  const ApiRecord& api = sink.apis[0];
  EXPECT_EQ(api.correlation, 41U);
  EXPECT_EQ(api.status, 2);
  EXPECT_EQ(sink.text(api.function), "cudaLaunchKernel");
  EXPECT_EQ(sink.stack(api.stack), "step/layer");
  EXPECT_GT(api.start_ns, 0);
  EXPECT_GE(api.end_ns, api.start_ns);
  EXPECT_EQ(sink.threads.at(api.thread.value).os_tid, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(sink.undefined_texts, 0U);
  EXPECT_EQ(decoder.last_ticks, 1);
}

TEST(Recorder, RangeIdsOfSeveralThreadsAreInTheStatedOrder) {
  CollectingSink sink;
  auto recorder = start(sink, nullptr, nullptr);
  std::array<std::thread, 4> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([] {
      for (RangeId i = 0; i < kRangeBlock; ++i) {
        push("outer");
        push("inner");
        pop();
        pop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(recorder->stop().ok());
  std::vector<RangeRecord> ranges;
  for (const auto& [id, range] : sink.ranges()) ranges.push_back(range.record);
  EXPECT_EQ(ranges.size(), threads.size() * 2 * kRangeBlock);
  constexpr std::int64_t kPreempted = 1'000'000'000;  // between taking a block and the clock
  EXPECT_EQ(wrong_range_order(ranges, kPreempted), "");
}

TEST(Recorder, NestedCallsAreRecordedWhenAsked) {
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  api_enter(1, ApiDomain::kRuntime, 7, true);
  api_enter(1, ApiDomain::kDriver, 300, true);
  api_exit(ApiDomain::kDriver, 300, 0);
  api_exit(ApiDomain::kRuntime, 7, 0);
  EXPECT_TRUE(recorder->stop().ok());
  ASSERT_EQ(sink.apis.size(), 2U);
  EXPECT_EQ(sink.apis[0].depth, 1U);
  EXPECT_EQ(sink.apis[1].depth, 0U);
}

TEST(Recorder, ACallWhoseEndNeverCameDoesNotTakeAnothersPlace) {
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  api_enter(1, ApiDomain::kRuntime, 7, false);
  api_enter(2, ApiDomain::kDriver, 300, false);  // No exit.
  EXPECT_EQ(api_exit(ApiDomain::kRuntime, 99, 0), nullptr) << "never entered";
  api_exit(ApiDomain::kRuntime, 7, 0);
  api_enter(3, ApiDomain::kDriver, 300, false);
  api_exit(ApiDomain::kDriver, 300, 0);
  EXPECT_TRUE(recorder->stop().ok());
  ASSERT_EQ(sink.apis.size(), 2U);
  EXPECT_EQ(sink.apis[1].correlation, 3U);
  EXPECT_EQ(sink.apis[1].depth, 0U);
}

TEST(Recorder, AGraphNodeMarksTheCallsThatItsThreadIsIn) {
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  api_enter(1, ApiDomain::kRuntime, 7, false);
  mark_graph_node_created(*current_thread());
  EXPECT_TRUE(api_exit(ApiDomain::kRuntime, 7, 0)->graph_node_created);
  EXPECT_TRUE(recorder->stop().ok());
}

/// Of a source.
struct OwnEvent {
  EventHeader header;
  std::uint64_t value;
};
constexpr auto kOwn = static_cast<EventKind>(100), kNobodys = static_cast<EventKind>(101);

struct OwnReader final : RecorderClient {
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& to) override {
    if (event.kind != kOwn) return false;
    OwnEvent own{};
    std::memcpy(&own, &event, sizeof own);
    values.push_back(own.value);
    to.records().on(MetaRecord{"thread", std::to_string(thread.value)});
    return true;
  }
  std::vector<std::uint64_t> values;
};

TEST(Recorder, AnEventOfASourceIsReadByIt) {
  CollectingSink sink;
  OwnReader reader;
  const std::vector<std::uint64_t>& values = reader.values;
  auto recorder = start(sink, &reader, nullptr);
  push("a");
  pop();
  for (const auto kind : {kOwn, kNobodys, kOwn}) {
    OwnEvent own{{}, values.size() + 7};
    write_event(*current_thread(), kind, own);
  }
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_EQ(values, (std::vector<std::uint64_t>{7, 7}));
  EXPECT_EQ(sink.metas["thread"], std::to_string(current_thread()->id.value));
  EXPECT_EQ(sink.lost(Loss::kDamagedEvent), 1U);
}

/// As what happens to CUDA graphs is written in a standby.
void write_in_standby(std::uint64_t value) {
  ThreadState& thread = *current_thread();
  const std::uint32_t epoch = session_epoch();
  ASSERT_TRUE(is_standby(epoch));
  ASSERT_TRUE(thread.epoch == epoch || enter_epoch(global(), thread, epoch));
  write_stack(thread, epoch);
  OwnEvent own{{}, value};
  write_event(thread, kOwn, own);
}

TEST(Recorder, WhatHappensBetweenTwoSessionsWaitsForTheSecond) {
  CollectingSink first, second;
  OwnReader reader;
  std::vector<std::uint64_t>& seen = reader.values;
  auto recorder = start(first, &reader, nullptr);
  push("outer");
  recorder->stop_events(Recorder::Next::kSession);
  EXPECT_EQ(recording_epoch(), 0U) << "Nothing else is recorded";
  push("between");
  write_in_standby(1);
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_TRUE(seen.empty());
  // A thread that is gone when the second session starts.
  std::thread([] {
    push("thread");
    write_in_standby(2);
    pop();
  }).join();
  recorder.reset();
  recorder = start(second, &reader, nullptr);
  push("inner");
  pop();
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2}));
  ASSERT_EQ(first.ranges("outer").size(), 1U);
  EXPECT_TRUE(first.ranges("between").empty());
  ASSERT_EQ(second.ranges("between").size(), 1U);
  EXPECT_EQ(second.stack(second.ranges("between")[0].record.id), "outer/between");
  EXPECT_EQ(second.ranges("thread").size(), 1U);
  EXPECT_EQ(second.stack(second.ranges("inner").at(0).record.id), "outer/inner");
  EXPECT_EQ(second.lost(Loss::kUnclosedRange), 0U);
}

TEST(Recorder, AStandbyRecordsRangesOnlyWhereItIsAsked) {
  CollectingSink sink;
  RecorderOptions options;
  options.is_standby = true;
  OwnReader reader;
  auto recorder = start(sink, &reader, nullptr, options);
  push("asked");
  write_in_standby(1);
  push("not asked");
  pop();
  pop();
  push("nor this");
  EXPECT_TRUE(recorder->stop().ok());
  pop();
  ASSERT_EQ(sink.ranges().size(), 1U);
  EXPECT_NE(sink.ranges("asked").at(0).record.end_ns, 0);
  EXPECT_EQ(sink.lost(Loss::kUnclosedRange), 0U);
}

TEST(Recorder, ASessionIsToldOfTheTimeBeforeAndItsBatchesAreObserved) {
  struct Observer final : RecorderClient {
    void begin(ActivitySink& to) override {
      RangeRecord range;
      range.id = 7;
      range.text = to.intern("before");
      to.records().on(range);
    }
    void observe(const RecordBatch& batch) override {
      batch.each<RangeRecord>([this](const RangeRecord&) { ++observed; });
    }
    std::size_t observed = 0;
  };
  CollectingSink sink;
  Observer client;
  auto recorder = start(sink, &client, nullptr);
  push("a");
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_EQ(sink.ranges("before").size(), 1U);
  EXPECT_EQ(sink.undefined_texts, 0U);
  EXPECT_EQ(client.observed, 2U);
}

TEST(Recorder, BuffersAreDecodedInOrderAndReleasedAlsoTheLastOnes) {
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  std::array<std::uint8_t, 4> first{1, 2, 3, 4}, second{5, 6, 0, 0}, late{7, 0, 0, 0};
  recorder->submit_buffer(first.data(), 4);
  recorder->submit_buffer(second.data(), 2);
  decoder.on_last = [&] { recorder->submit_buffer(late.data(), 1); };
  EXPECT_TRUE(recorder->stop().ok());
  ASSERT_EQ(sink.kernels.size(), 7U);
  for (std::uint64_t i = 0; i < 7; ++i) EXPECT_EQ(sink.kernels[i].correlation, i + 1);
  EXPECT_EQ(decoder.released, 3);
  recorder->submit_buffer(first.data(), 4);
  EXPECT_EQ(decoder.released, 4) << "too late, but not leaked";
}

TEST(Recorder, FlushBringsEverythingSoFarIntoTheSinkAndCommits) {
  CollectingSink sink;
  FakeDecoder decoder;
  RecorderOptions options;
  options.commit_interval_ns = 3'600'000'000'000;
  auto recorder = start(sink, &decoder, options);
  RecordBatch batch;
  batch.on(MetaRecord{"key", "value"});
  recorder->submit(std::move(batch));
  push("open");
  ASSERT_TRUE(recorder->flush().ok());
  EXPECT_EQ(sink.metas.at("key"), "value");
  ASSERT_EQ(sink.ranges("open").size(), 1U);
  EXPECT_EQ(sink.ranges("open")[0].record.end_ns, 0) << "told while it is open";
  const std::uint64_t commits = sink.commits;
  EXPECT_GE(commits, 1U);
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_GT(sink.commits, commits);
  EXPECT_EQ(sink.recorded_ranges.size(), 2U);
  EXPECT_NE(sink.ranges("open")[0].record.end_ns, 0);
  EXPECT_EQ(sink.lost(Loss::kUnclosedRange), 0U);
  EXPECT_TRUE(recorder->flush().ok()) << "after stop it has nothing to do";
}

TEST(Recorder, OnlyOneAtATimeAndAnotherAfterIt) {
  CollectingSink sink, other;
  auto recorder = start(sink, nullptr, nullptr);
  auto refused = Recorder::start(other, nullptr, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().to_line().find("already running"), std::string::npos);
  EXPECT_EQ(recording_epoch(), recorder->epoch());
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_EQ(recording_epoch(), 0U);
  auto next = start(other, nullptr, nullptr);
  EXPECT_GT(next->epoch(), recorder->epoch());
  EXPECT_TRUE(next->stop().ok());
  EXPECT_FALSE(other.clock_syncs.empty());
}

TEST(Recorder, RangesOpenAtTheStartAreOnTheStackWithTheirTimes) {
  push("before");
  CollectingSink sink;
  FakeDecoder decoder;
  auto recorder = start(sink, &decoder);
  const std::int64_t started = now_ns();
  push("after");
  api_enter(1, ApiDomain::kRuntime, 7, false);
  api_exit(ApiDomain::kRuntime, 7, 0);
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  pop();
  ASSERT_EQ(sink.apis.size(), 1U);
  EXPECT_EQ(sink.stack(sink.apis[0].stack), "before/after");
  EXPECT_LT(sink.ranges("before")[0].record.start_ns, started);
  EXPECT_EQ(sink.lost(Loss::kUnclosedRange), 1U) << "'before' was open at the stop";
}

TEST(Recorder, ASlowSinkCostsCountedRecordsAndNoMemory) {
  struct SlowSink final : test::IgnoringSink {
    using test::IgnoringSink::on;
    void wait() {
      std::unique_lock lock(mutex);
      opened.wait(lock, [&] { return open; });
    }
    void on(const StringRecord& record) override {
      strings += record.text.starts_with("unique") ? 1U : 0U;
    }
    void on(const ThreadRecord&) override { wait(); }
    void on(const RangeRecord&) override { ++kept; }
    void on(const LossRecord& loss) override { losses[std::string(loss.what)] += loss.count; }
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
    std::uint64_t kept = 0, strings = 0;
    std::map<std::string, std::uint64_t> losses;
  } sink;
  RecorderOptions options;
  options.queue_bytes = 256 * 1024;
  options.commit_interval_ns = 3'600'000'000'000;  // No range is told while it is open.
  auto recorder = start(sink, nullptr, nullptr, options);
  ASSERT_TRUE(recorder->flush().ok());
  constexpr std::uint64_t kRanges = 60'000;
  for (std::uint64_t i = 0; i < kRanges; ++i) {
    push(("unique text " + std::to_string(i)).c_str());
    pop();
    while (current_thread()->ring.used() > (1U << 20)) std::this_thread::yield();
  }
  while (current_thread()->ring.used() != 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  {
    const std::lock_guard lock(sink.mutex);
    sink.open = true;
  }
  sink.opened.notify_all();
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_EQ(sink.kept + sink.losses["queue_full"], kRanges);
  EXPECT_GT(sink.losses["queue_full"], 0U);
  EXPECT_EQ(sink.strings, kRanges) << "texts are defined whatever happens to records";
}

TEST(Recorder, ItsThreadsTakeNoSignals) {
  CollectingSink sink;
  auto recorder = start(sink, nullptr, nullptr);
  static volatile sig_atomic_t on_thread = 0;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { on_thread = static_cast<int>(gettid()); };
  sigaction(SIGUSR1, &action, &before);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  kill(getpid(), SIGUSR1);  // Stays pending while nobody takes it.
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(on_thread, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  EXPECT_EQ(on_thread, static_cast<int>(gettid()));
  sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(recorder->stop().ok());
}

TEST(Recorder, AForkedChildTouchesNothingAndExitsAtOnce) {
  CollectingSink sink;
  auto recorder = start(sink, nullptr, nullptr);
  push("parent");
  fork_prepare();
  const pid_t child = fork();
  if (child == 0) {
    fork_child(false);
    const bool dead = is_dead(recording_epoch());
    const bool quiet = api_enter(1, ApiDomain::kRuntime, 7, false) == nullptr &&
                       api_exit(ApiDomain::kRuntime, 7, 0) == nullptr;
    const bool stopped = recorder->stop().ok();
    recorder.reset();
    _exit(dead && quiet && stopped ? 0 : 1);
  }
  fork_parent();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  pop();
  EXPECT_TRUE(recorder->stop().ok());
  EXPECT_EQ(sink.ranges("parent").size(), 1U);
}

TEST(Recorder, AChildForkedBeforeAnyCaptureIsAProcessOfItsOwn) {
  push("inherited");
  fork_prepare();
  const pid_t child = fork();
  if (child == 0) {
    fork_child(true);
    CollectingSink sink;
    auto recorder = Recorder::start(sink, nullptr, nullptr);
    if (!recorder.ok()) _exit(2);
    push("own");
    pop();
    (void)(*recorder)->stop();
    const bool right = sink.ranges("own").size() == 1 && sink.ranges("inherited").size() == 1 &&
                       sink.threads.begin()->second.os_tid == static_cast<std::uint32_t>(gettid());
    _exit(right ? 0 : 1);
  }
  fork_parent();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  pop();
}

TEST(Recorder, TenThousandThreadsInBoundedMemory) {
  CollectingSink sink;
  auto recorder = start(sink, nullptr, nullptr);
  constexpr int kThreads = 10'000, kAtOnce = 8;
  for (int i = 0; i < kThreads; i += kAtOnce) {
    std::array<std::thread, kAtOnce> threads;
    for (std::thread& thread : threads) {
      thread = std::thread([] {
        push("work");
        pop();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_TRUE(recorder->stop().ok());
  std::size_t states = 0;
  for (ThreadState* thread = global().threads.load(); thread != nullptr; thread = thread->next)
    ++states;
  EXPECT_EQ(sink.ranges("work").size(), static_cast<std::size_t>(kThreads));
  EXPECT_GE(sink.threads.size(), static_cast<std::size_t>(kThreads));
  EXPECT_LT(states, 1000U) << "states of ended threads are used again";
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> keys;
  for (const auto& [id, thread] : sink.threads) ++keys[{thread.os_tid, thread.generation}];
  EXPECT_EQ(keys.size(), sink.threads.size()) << "(tid, generation) never repeats";
}

}  // namespace
}  // namespace prof::collectors
