// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A collector behind a fake driver, with a real recorder whose records are kept.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectors/core/global.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/cupti/graph_records.hpp"
#include "tests/support/ignoring_sink.hpp"

namespace prof::collectors {

inline constexpr auto kRuntime = ApiRecord::Domain::kRuntime;
inline constexpr auto kDriver = ApiRecord::Domain::kDriver;

enum Function : std::uint32_t {
  kLaunch = 1,
  kNestedLaunch,
  kCopy,
  kInstantiate,
  kGraphLaunch,
  kAddNode,
  kSetNode
};

class FakeDriver final : public ActivityDriver {
 public:
  Status open(const DriverConfig&, DriverEvents*, std::vector<std::string>&) override { return {}; }
  Status watch(const DriverConfig&, DriverEvents*) override { return {}; }
  [[nodiscard]] DriverFailure failure() const override { return DriverFailure::kNone; }
  [[nodiscard]] WholeGraphs whole_graphs() const override { return {}; }
  void flush(bool) override {}
  void synchronize(const StallTimeout*) override {}
  [[nodiscard]] bool may_reattach() const override { return true; }
  bool stop(bool) override { return true; }
  std::uint64_t take_dropped() override { return dropped.exchange(0); }
  std::int64_t now_ns() override { return 77; }
  void decode(std::uint8_t* buffer, std::size_t, ActivitySink& sink) override {
    KernelRecord kernel;
    std::memcpy(&kernel.correlation, buffer, sizeof kernel.correlation);
    kernel.name = sink.intern("kernel");
    sink.on(kernel);
  }
  /// A node's handle is a std::string: the kernel's name.
  bool query_node(const void* handle, NodeKernel& kernel) noexcept override {
    ++nodes_asked;
    kernel = {*static_cast<const std::string*>(handle), {4, 3, 2}};
    return true;
  }
  void each_kernel_node(const void*, VisitKernelNode) noexcept override { ++graphs_asked; }
  [[nodiscard]] std::string_view function_name(ApiRecord::Domain,
                                               std::uint32_t cbid) const override {
    constexpr std::string_view kNames[] = {"",
                                           "cudaLaunchKernel",
                                           "cuLaunchKernel",
                                           "cudaMemcpy",
                                           "cudaGraphInstantiate",
                                           "cudaGraphLaunch",
                                           "cudaGraphAddKernelNode",
                                           "cuGraphKernelNodeSetParams"};
    return kNames[cbid];
  }
  [[nodiscard]] CallClass call_class(ApiRecord::Domain domain, std::uint32_t cbid) const override {
    return classify_call(function_name(domain, cbid));
  }
  [[nodiscard]] std::uint32_t version() const override { return 1; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  std::atomic<std::uint64_t> dropped{0};
  int nodes_asked = 0;
  int graphs_asked = 0;

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
  void on(const GraphExecRecord& record) override { execs.push_back(record); }
  void on(const GraphEndRecord& record) override { ends.push_back(record); }
  void on(const GraphUpdateRecord& record) override { updates.push_back(record); }
  void on(const GraphLaunchRecord& record) override { graph_launches.push_back(record); }
  void on(const DeviceRecord& record) override { devices.push_back(record.device); }
  void on(const ClockSyncRecord& record) override { cupti_clock = record.cupti_ns; }
  void on(const LossRecord& record) override { losses[std::string(record.what)] += record.count; }

  std::map<std::uint32_t, std::string> texts;
  std::vector<ApiRecord> apis;
  std::vector<KernelRecord> kernels;
  std::vector<GraphNodeRecord> nodes;
  std::vector<GraphExecRecord> execs;
  std::vector<GraphEndRecord> ends;
  std::vector<GraphUpdateRecord> updates;
  std::vector<GraphLaunchRecord> graph_launches;
  std::vector<std::uint32_t> devices;
  std::map<std::string, std::uint64_t> losses;
  std::int64_t cupti_clock = 0;
};

class CollectorTest : public testing::Test {
 protected:
  void start(ApiMode mode, std::size_t buffer_bytes = 2 * BufferPool::kBufferBytes) {
    collector = std::make_unique<Collector>(driver, mode, buffer_bytes);
    auto started = Recorder::start(kept, &client, collector.get());
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

  struct Client final : RecorderClient {
    explicit Client(const CollectorTest& of) : test(of) {}
    void tick(ActivitySink& sink, bool) override { test.collector->tick(sink); }
    bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override {
      return read_graph_event(thread, event, sink);
    }
    const CollectorTest& test;
  };

  FakeDriver driver;
  Kept kept;
  Client client{*this};
  std::unique_ptr<Collector> collector;
  std::unique_ptr<Recorder> recorder;
};

}  // namespace prof::collectors
