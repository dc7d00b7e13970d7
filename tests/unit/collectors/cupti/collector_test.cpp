// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The collector behind a fake driver: calls, nested calls, captured launches, graph nodes, buffers.
// What is recorded is looked at where it comes out of a real recorder.
#include "collectors/cupti/collector.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <vector>

#include "collectors/core/global.hpp"
#include "tests/support/ignoring_sink.hpp"

namespace prof::collectors {
namespace {

constexpr auto kRuntime = ApiRecord::Domain::kRuntime;
constexpr auto kDriver = ApiRecord::Domain::kDriver;

enum Function : std::uint32_t { kLaunch = 1, kNestedLaunch, kCopy, kInstantiate, kGraphLaunch };

class FakeDriver final : public ActivityDriver {
 public:
  Status open(const DriverConfig&, DriverEvents*, std::vector<std::string>&) override { return {}; }
  [[nodiscard]] DriverFailure failure() const override { return DriverFailure::kNone; }
  void flush(bool) override {}
  void synchronize() override {}
  bool stop(bool) override { return true; }
  std::uint64_t take_dropped() override { return dropped.exchange(0); }
  std::int64_t now_ns() override { return 77; }
  void decode(std::uint8_t* buffer, std::size_t, ActivitySink& sink) override {
    KernelRecord kernel;
    std::memcpy(&kernel.correlation, buffer, sizeof kernel.correlation);
    kernel.name = sink.intern("kernel");
    sink.on(kernel);
  }
  [[nodiscard]] std::string_view function_name(ApiRecord::Domain,
                                               std::uint32_t cbid) const override {
    constexpr std::string_view kNames[] = {"",           "cudaLaunchKernel",     "cuLaunchKernel",
                                           "cudaMemcpy", "cudaGraphInstantiate", "cudaGraphLaunch"};
    return kNames[cbid];
  }
  [[nodiscard]] CallClass call_class(ApiRecord::Domain domain, std::uint32_t cbid) const override {
    return classify_call(function_name(domain, cbid));
  }
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  std::atomic<std::uint64_t> dropped{0};

 private:
  std::string path_;
};

/// Keeps what the tests look at.
class Kept final : public test::IgnoringSink {
 public:
  using test::IgnoringSink::on;
  void on(const StringRecord& record) override { texts[record.id.value] = record.text; }
  void on(const ApiRecord& record) override { apis.push_back(record); }
  void on(const KernelRecord& record) override { kernels.push_back(record); }
  void on(const GraphNodeRecord& record) override { nodes.push_back(record); }
  void on(const DeviceRecord& record) override { devices.push_back(record.device); }
  void on(const ClockSyncRecord& record) override { cupti_clock = record.cupti_ns; }
  void on(const LossRecord& record) override { losses[std::string(record.what)] += record.count; }

  std::map<std::uint32_t, std::string> texts;
  std::vector<ApiRecord> apis;
  std::vector<KernelRecord> kernels;
  std::vector<GraphNodeRecord> nodes;
  std::vector<std::uint32_t> devices;
  std::map<std::string, std::uint64_t> losses;
  std::int64_t cupti_clock = 0;
};

class CollectorTest : public testing::Test {
 protected:
  void start(ApiMode mode, std::size_t buffer_bytes = 2 * BufferPool::kBufferBytes) {
    collector = std::make_unique<Collector>(driver, mode, buffer_bytes);
    RecorderOptions options;
    options.tick = [this](ActivitySink& sink, bool) { collector->tick(sink); };
    auto started = Recorder::start(kept, collector.get(), options);
    ASSERT_TRUE(started.ok());
    recorder = std::move(*started);
    collector->connect(*recorder);
  }
  void stop() {
    collector->disconnect();
    EXPECT_TRUE(recorder->stop().ok());
    recorder.reset();
  }
  CallSite site(Function function, Correlation correlation, ApiRecord::Domain domain = kRuntime) {
    return {correlation, domain, function, driver.call_class(domain, function)};
  }
  void call(Function function, Correlation correlation, std::int32_t status = 0) {
    collector->on_call_enter(site(function, correlation));
    collector->on_call_exit(site(function, correlation), status);
  }

  FakeDriver driver;
  Kept kept;
  std::unique_ptr<Collector> collector;
  std::unique_ptr<Recorder> recorder;
};

TEST_F(CollectorTest, ALaunchIsOneRowAndOneExpectedKernelInLaunchMode) {
  start(ApiMode::kLaunch);
  collector->on_call_enter(site(kLaunch, 5));
  collector->on_call_enter(site(kNestedLaunch, 5, kDriver));
  collector->on_call_exit(site(kNestedLaunch, 5, kDriver), 0);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  ASSERT_EQ(kept.apis.size(), 1U);
  EXPECT_EQ(kept.apis[0].correlation, 5U);
  EXPECT_EQ(kept.apis[0].domain, kRuntime);
  EXPECT_EQ(kept.texts.at(kept.apis[0].function.value), "cudaLaunchKernel");
  EXPECT_EQ(collector->counts().launches, 1U);
}

TEST_F(CollectorTest, AllModeTellsNestedCallsAndStillExpectsOneKernel) {
  start(ApiMode::kAll);
  collector->on_call_enter(site(kLaunch, 5));
  collector->on_call_enter(site(kNestedLaunch, 5, kDriver));
  collector->on_call_exit(site(kNestedLaunch, 5, kDriver), 0);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  ASSERT_EQ(kept.apis.size(), 2U);
  EXPECT_EQ(kept.apis[0].depth + kept.apis[1].depth, 1U);
  EXPECT_EQ(collector->counts().launches, 1U);
}

TEST_F(CollectorTest, FailedLaunchesAndOtherCallsExpectNoKernel) {
  start(ApiMode::kLaunch);
  call(kLaunch, 5, 700);
  call(kCopy, 6);
  call(kGraphLaunch, 7);
  stop();
  EXPECT_EQ(kept.apis.size(), 3U);
  EXPECT_EQ(collector->counts().launches, 0U);
}

TEST_F(CollectorTest, AnExitWithoutItsEnterIsIgnored) {
  start(ApiMode::kLaunch);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  EXPECT_TRUE(kept.apis.empty());
  EXPECT_EQ(collector->counts().launches, 0U);
}

TEST_F(CollectorTest, ACapturedLaunchMakesANodeAndExpectsNoKernel) {
  start(ApiMode::kLaunch);
  collector->on_call_enter(site(kLaunch, 5));
  collector->on_call_enter(site(kNestedLaunch, 5, kDriver));
  collector->on_graph_node({0x1'0000'0001, 1, 0, 0});
  collector->on_call_exit(site(kNestedLaunch, 5, kDriver), 0);
  collector->on_call_exit(site(kLaunch, 5), 0);
  stop();
  ASSERT_EQ(kept.nodes.size(), 1U);
  EXPECT_EQ(kept.nodes[0].graph_node, 0x1'0000'0001U);
  EXPECT_EQ(kept.nodes[0].original_node, 0U);
  EXPECT_EQ(collector->counts().launches, 0U);
}

TEST_F(CollectorTest, ANodeOfAnInstantiationIsToldOnceWithItsOriginal) {
  start(ApiMode::kLaunch);
  collector->on_call_enter(site(kInstantiate, 8));
  for (std::uint64_t node : {10U, 11U}) {
    collector->on_graph_node({node, 2, 0, 0});
    collector->on_graph_node({node, 2, node - 9, 0});
  }
  collector->on_graph_node({12, 2, 0, 0});  // Nothing says what it is a copy of.
  collector->on_call_exit(site(kInstantiate, 8), 0);
  stop();
  ASSERT_EQ(kept.nodes.size(), 3U);
  EXPECT_EQ(kept.nodes[0].original_node, 1U);
  EXPECT_EQ(kept.nodes[1].original_node, 2U);
  EXPECT_EQ(kept.nodes[2].graph_node, 12U);
  EXPECT_EQ(kept.nodes[2].original_node, 0U);
}

TEST_F(CollectorTest, NoneModeKnowsCopiesOfNodesWithoutARowForTheCall) {
  start(ApiMode::kNone);
  collector->on_call_enter(site(kInstantiate, 8));
  collector->on_graph_node({10, 2, 0, 0});
  collector->on_graph_node({10, 2, 1, 0});
  collector->on_call_exit(site(kInstantiate, 8), 0);
  collector->on_graph_node({11, 3, 0, 0});
  stop();
  EXPECT_TRUE(kept.apis.empty());
  ASSERT_EQ(kept.nodes.size(), 2U);
  EXPECT_EQ(kept.nodes[0].original_node, 1U);
  EXPECT_EQ(kept.nodes[1].graph_node, 11U);
}

TEST_F(CollectorTest, BuffersAreDecodedCountedAndGivenBack) {
  start(ApiMode::kLaunch);
  driver.dropped = 3;
  for (std::uint64_t correlation = 1; correlation <= 10; ++correlation) {
    std::size_t bytes = 0;
    std::uint8_t* buffer = collector->on_buffer_wanted(bytes, true);
    ASSERT_NE(buffer, nullptr);
    EXPECT_EQ(bytes, BufferPool::kBufferBytes);
    std::memcpy(buffer, &correlation, sizeof correlation);
    collector->on_buffer_filled(buffer, 216);
    ASSERT_TRUE(recorder->flush().ok());
  }
  stop();
  EXPECT_EQ(kept.kernels.size(), 10U);
  EXPECT_EQ(kept.texts.at(kept.kernels[3].name.value), "kernel");
  EXPECT_EQ(kept.devices, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(collector->counts().kernels, 10U);
  EXPECT_EQ(collector->counts().launched_kernels, 10U);
  EXPECT_EQ(collector->buffers_out(), 0U);
  EXPECT_EQ(kept.losses.at("dropped_records"), 3U);
  EXPECT_EQ(kept.cupti_clock, 77);
}

TEST_F(CollectorTest, AUsedUpPoolIsCountedAndRefusesOnlyWhereItMay) {
  start(ApiMode::kLaunch, BufferPool::kBufferBytes);
  std::size_t bytes = 0;
  std::uint8_t* first = collector->on_buffer_wanted(bytes, true);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(collector->on_buffer_wanted(bytes, true), nullptr);
  EXPECT_EQ(bytes, 0U);
  std::uint8_t* extra = collector->on_buffer_wanted(bytes, false);
  ASSERT_NE(extra, nullptr);
  EXPECT_EQ(bytes, BufferPool::kBufferBytes);
  collector->on_buffer_filled(first, 0);
  collector->on_buffer_filled(extra, 0);
  EXPECT_EQ(collector->buffers_out(), 0U);
  stop();
  EXPECT_EQ(kept.losses.at("buffer_pool_exhausted"), 2U);
}

TEST_F(CollectorTest, BuffersThatComeAfterTheEndAreGivenBack) {
  start(ApiMode::kLaunch);
  std::size_t bytes = 0;
  std::uint8_t* buffer = collector->on_buffer_wanted(bytes, true);
  stop();
  collector->on_buffer_filled(buffer, 216);
  EXPECT_EQ(collector->buffers_out(), 0U);
  EXPECT_TRUE(kept.kernels.empty());
}

}  // namespace
}  // namespace prof::collectors
