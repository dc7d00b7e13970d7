// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the collector records of graphs, in the order in which CUPTI 13.0 tells it.
#include "collectors/cupti/graph_events.hpp"

#include <gtest/gtest.h>

#include <string>

#include "collectors/core/range_events.hpp"
#include "collectors/cupti/graph_event.hpp"
#include "tests/unit/collectors/cupti/collector_fixture.hpp"

namespace prof::collectors {
namespace {

using What = GraphSite::What;
constexpr std::uint32_t kChildGraph = 4, kMemoryAllocation = 10;

class GraphEvents : public CollectorTest {
 protected:
  void enter(Function function, ApiRecord::Domain domain = kRuntime) {
    collector->on_call_enter(site(function, 5, domain));
  }
  void leave(Function function, ApiRecord::Domain domain = kRuntime, std::int32_t status = 0) {
    collector->on_call_exit(site(function, 5, domain), status);
  }
  void announce(std::uint32_t graph, std::uint32_t type) {
    collector->on_graph({.what = What::kNodeStarts, .graph = graph, .type = type});
  }
  /// Reported as a kernel, as CUPTI does with all.
  void create(std::uint64_t node, std::uint32_t graph, const std::string* name = nullptr) {
    collector->on_graph({.what = What::kNode, .node = node, .graph = graph, .handle = name});
  }
  void clone(std::uint64_t node, std::uint32_t graph, std::uint64_t original) {
    collector->on_graph({.what = What::kClone, .node = node, .other = original, .graph = graph});
  }
  void happen(What what, std::uint32_t graph, std::uint32_t exec = 0) {
    collector->on_graph({.what = what, .graph = graph, .exec = exec});
  }
  void update(std::uint64_t node, std::uint64_t like_node) {
    collector->on_graph({.what = What::kUpdate, .node = node, .other = like_node});
  }
  void set_parameters(std::uint64_t node) {
    collector->on_graph({.what = What::kParameters, .node = node});
  }
  static void push(const char* text) {
    ThreadState& thread = *current_thread();
    Annotation annotation;
    annotation.text_bytes = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(thread.stack.scratch(), text, annotation.text_bytes);
    push_range(thread, recording_epoch(), annotation);
  }
  static void pop() { pop_range(*current_thread(), recording_epoch(), kDefaultDomain); }
  std::string function(std::size_t node) {
    const StringId id = kept.nodes.at(node).function;
    return id ? kept.texts.at(id.value) : "";
  }

  const std::string name_a = "_Z1av", name_b = "_Z1bv";
};

TEST_F(GraphEvents, ACapturedLaunchMakesANodeAndExpectsNoKernel) {
  start(ApiMode::kLaunch);
  enter(kLaunch);
  enter(kNestedLaunch, kDriver);
  announce(1, kKernelNode);
  create(0x1'0000'0001, 1, &name_a);
  EXPECT_EQ(driver.nodes_asked, 0) << "CUDA holds locks while it creates a node";
  leave(kNestedLaunch, kDriver);
  EXPECT_EQ(driver.nodes_asked, 1);
  leave(kLaunch);
  stop();
  ASSERT_EQ(kept.nodes.size(), 1U);
  EXPECT_EQ(kept.nodes[0].graph_node, 0x1'0000'0001U);
  EXPECT_EQ(kept.nodes[0].original_node, 0U);
  EXPECT_EQ(function(0), "_Z1av");
  EXPECT_EQ(kept.nodes[0].grid, (Dim3{4, 3, 2}));
  EXPECT_EQ(collector->counts().launches, 0U);
  EXPECT_EQ(driver.nodes_asked, 1);
}

TEST_F(GraphEvents, ANodeThatIsAddedHasItsKernelInEveryMode) {
  for (const ApiMode mode : {ApiMode::kNone, ApiMode::kLaunch, ApiMode::kAll}) {
    kept = {};
    start(mode);
    enter(kAddNode);
    announce(1, kKernelNode);
    create(1, 1, &name_a);
    leave(kAddNode);
    stop();
    ASSERT_EQ(kept.nodes.size(), 1U);
    EXPECT_EQ(function(0), "_Z1av");
    EXPECT_EQ(kept.apis.size(), mode == ApiMode::kAll ? 1U : 0U);
  }
}

TEST_F(GraphEvents, OnlyTheLastNodeOfASuccessfulCallIsAskedFor) {
  start(ApiMode::kLaunch);
  enter(kAddNode);
  create(1, 1, &name_a);
  create(2, 1, &name_b);
  leave(kAddNode);
  enter(kAddNode);
  create(3, 1, &name_a);
  leave(kAddNode, kRuntime, 700);
  stop();
  ASSERT_EQ(kept.nodes.size(), 3U);
  EXPECT_EQ(function(0), "");
  EXPECT_EQ(function(1), "_Z1bv");
  EXPECT_EQ(function(2), "");
  EXPECT_EQ(kept.nodes[2].grid, (Dim3{0, 0, 0}));
  EXPECT_EQ(driver.nodes_asked, 1);
}

TEST_F(GraphEvents, ANameThatIsTooLongIsUnknownAndCounted) {
  const std::string fits(kMaxKernelNameBytes, 'k'), too_long(kMaxKernelNameBytes + 1, 'k');
  start(ApiMode::kLaunch);
  for (const std::string* name : {&fits, &too_long}) {
    enter(kAddNode);
    create(name == &fits ? 1 : 2, 1, name);
    leave(kAddNode);
  }
  stop();
  ASSERT_EQ(kept.nodes.size(), 2U);
  EXPECT_EQ(function(0), fits);
  EXPECT_EQ(function(1), "");
  EXPECT_EQ(kept.nodes[1].grid, (Dim3{4, 3, 2}));
  EXPECT_EQ(kept.losses.at("text_truncated"), 1U);
}

TEST_F(GraphEvents, TypesAreThoseAnnouncedWithChildGraphsBetween) {
  start(ApiMode::kLaunch);
  enter(kAddNode);
  announce(4, kChildGraph);
  announce(5, kKernelNode);
  create(50, 5, &name_a);
  clone(50, 5, 10);
  announce(5, kMemoryAllocation);
  clone(51, 5, 11);  // Copies of these are never told to be created.
  create(40, 4, &name_b);
  leave(kAddNode);
  stop();
  ASSERT_EQ(kept.nodes.size(), 3U);
  EXPECT_EQ(kept.nodes[0].graph_node, 50U);
  EXPECT_EQ(kept.nodes[0].node_type, kKernelNode);
  EXPECT_EQ(kept.nodes[0].original_node, 10U);
  EXPECT_EQ(kept.nodes[1].graph_node, 51U);
  EXPECT_EQ(kept.nodes[1].node_type, kMemoryAllocation);
  EXPECT_EQ(kept.nodes[2].graph_node, 40U);
  EXPECT_EQ(kept.nodes[2].node_type, kChildGraph);
  EXPECT_EQ(driver.nodes_asked, 0);
}

TEST_F(GraphEvents, NodesThatAreAnnouncedButNeverCreatedChangeNoLaterType) {
  start(ApiMode::kLaunch);
  enter(kInstantiate);
  for (std::uint32_t graph = 100; graph < 120; ++graph) announce(graph, 2);
  announce(1, 13);
  announce(1, 1);
  create(1, 1);
  create(2, 1);  // Not announced: as CUPTI calls it.
  leave(kInstantiate);
  stop();
  ASSERT_EQ(kept.nodes.size(), 2U);
  EXPECT_EQ(kept.nodes[0].node_type, 1U);
  EXPECT_EQ(kept.nodes[1].node_type, 0U);
}

TEST_F(GraphEvents, ANodeOfAnInstantiationIsToldOnceWithItsOriginal) {
  start(ApiMode::kLaunch);
  enter(kInstantiate);
  for (std::uint64_t node : {10U, 11U}) {
    create(node, 2, &name_a);
    clone(node, 2, node - 9);
  }
  create(12, 2, &name_a);  // CUDA's own.
  leave(kInstantiate);
  stop();
  ASSERT_EQ(kept.nodes.size(), 3U);
  EXPECT_EQ(kept.nodes[0].original_node, 1U);
  EXPECT_EQ(kept.nodes[1].original_node, 2U);
  EXPECT_EQ(kept.nodes[2].graph_node, 12U);
  EXPECT_EQ(kept.nodes[2].original_node, 0U);
  EXPECT_EQ(driver.nodes_asked, 0) << "some nodes of an instantiation are gone at its end";
}

TEST_F(GraphEvents, NoneModeKnowsCopiesOfNodesWithoutARowForTheCall) {
  start(ApiMode::kNone);
  enter(kInstantiate);
  create(10, 2);
  clone(10, 2, 1);
  leave(kInstantiate);
  create(11, 3, &name_a);  // In a call that nobody watches: told at once.
  stop();
  EXPECT_TRUE(kept.apis.empty());
  ASSERT_EQ(kept.nodes.size(), 2U);
  EXPECT_EQ(kept.nodes[0].original_node, 1U);
  EXPECT_EQ(kept.nodes[1].graph_node, 11U);
  EXPECT_EQ(driver.nodes_asked, 0);
}

TEST_F(GraphEvents, ExecutablesAndTheEndsWhileTheyAreMade) {
  start(ApiMode::kLaunch);
  enter(kInstantiate);
  happen(What::kExecStarts, 4);
  happen(What::kEnd, 10);
  happen(What::kEnd, 11);
  happen(What::kExec, 4, 9);
  leave(kInstantiate);
  happen(What::kEnd, 9);
  happen(What::kExec, 4, 20);  // The capture began while it was made.
  stop();
  ASSERT_EQ(kept.execs.size(), 2U);
  const GraphExecRecord& exec = kept.execs[0];
  EXPECT_EQ(exec.graph_exec, 9U);
  EXPECT_EQ(exec.graph, 4U);
  ASSERT_EQ(kept.ends.size(), 3U);
  EXPECT_EQ(kept.ends[0].graph, 10U);
  EXPECT_EQ(kept.ends[1].graph, 11U);
  EXPECT_EQ(kept.ends[2].graph, 9U);
  EXPECT_LE(exec.start_ns, kept.ends[0].time_ns);
  EXPECT_LE(kept.ends[1].time_ns, exec.end_ns);
  EXPECT_LE(exec.end_ns, kept.ends[2].time_ns);
  EXPECT_EQ(kept.ends[0].thread, exec.thread);
  EXPECT_EQ(kept.execs[1].start_ns, kept.execs[1].end_ns);
}

TEST_F(GraphEvents, AnUpdateIsOneRecordAndStatedParametersAnother) {
  start(ApiMode::kLaunch);
  update(21, 41);
  set_parameters(21);
  update(20, 40);
  set_parameters(20);
  set_parameters(20);  // cudaGraphExecKernelNodeSetParams
  stop();
  ASSERT_EQ(kept.updates.size(), 3U);
  EXPECT_EQ(kept.updates[0].graph_node, 21U);
  EXPECT_EQ(kept.updates[0].like_node, 41U);
  EXPECT_EQ(kept.updates[1].graph_node, 20U);
  EXPECT_EQ(kept.updates[1].like_node, 40U);
  EXPECT_EQ(kept.updates[2].graph_node, 20U);
  EXPECT_EQ(kept.updates[2].like_node, 0U);
  EXPECT_GT(kept.updates[0].time_ns, 0);
}

TEST_F(GraphEvents, ASetterOfATemplateIsAnUpdateIfItSucceeds) {
  start(ApiMode::kLaunch);
  for (const std::int32_t status : {0, 1}) {
    CallSite call = site(kSetNode, 6, kDriver);
    collector->on_call_enter(call);
    call.graph_object = 0x1'0000'0003;
    collector->on_call_exit(call, status);
  }
  stop();
  EXPECT_TRUE(kept.apis.empty());
  ASSERT_EQ(kept.updates.size(), 1U);
  EXPECT_EQ(kept.updates[0].graph_node, 0x1'0000'0003U);
  EXPECT_EQ(kept.updates[0].like_node, 0U);
}

TEST_F(GraphEvents, ALaunchTellsItsExecutableIfTheDriverDoes) {
  start(ApiMode::kLaunch);
  for (const std::uint64_t exec : {0U, 9U}) {
    CallSite call = site(kGraphLaunch, 7 + exec, kDriver);
    collector->on_call_enter(call);
    call.graph_object = exec;
    collector->on_call_exit(call, 0);
  }
  stop();
  EXPECT_EQ(kept.apis.size(), 2U);
  ASSERT_EQ(kept.graph_launches.size(), 1U);
  EXPECT_EQ(kept.graph_launches[0].correlation, 16U);
  EXPECT_EQ(kept.graph_launches[0].graph_exec, 9U);
  EXPECT_EQ(kept.graph_launches[0].thread, kept.apis[0].thread);
}

TEST_F(GraphEvents, NodesAndUpdatesAreUnderTheirRanges) {
  start(ApiMode::kLaunch);
  push("layer");
  enter(kAddNode);
  create(1, 1, &name_a);
  leave(kAddNode);
  set_parameters(20);
  pop();
  set_parameters(20);
  stop();
  ASSERT_EQ(kept.nodes.size(), 1U);
  ASSERT_EQ(kept.updates.size(), 2U);
  EXPECT_NE(kept.nodes[0].stack, 0U);
  EXPECT_EQ(kept.updates[0].stack, kept.nodes[0].stack);
  EXPECT_EQ(kept.updates[1].stack, 0U);
}

TEST_F(GraphEvents, ANodeHeldWhenItsCaptureEndsIsToldInTheNext) {
  start(ApiMode::kLaunch);
  enter(kAddNode);
  create(1, 1, &name_a);
  stop();
  start(ApiMode::kLaunch);
  leave(kAddNode);
  stop();
  ASSERT_EQ(kept.nodes.size(), 1U);
  EXPECT_EQ(function(0), "") << "The node may be gone";
}

TEST_F(GraphEvents, WhatWasCapturedIsAskedInAStandbyAlone) {
  start(ApiMode::kLaunch);
  stream_captured(driver, &driver);
  stop();
  EXPECT_EQ(driver.graphs_asked, 0);
  RecorderOptions standby;
  standby.is_standby = true;
  auto started = Recorder::start(kept, nullptr, nullptr, standby);
  ASSERT_TRUE(started.ok());
  stream_captured(driver, &driver);
  EXPECT_TRUE((*started)->stop().ok());
  EXPECT_EQ(driver.graphs_asked, 1);
}

TEST(GraphRecords, DamagedAndForeignEventsAreRefused) {
  GraphNodeEvent event{};
  event.header = {sizeof event, kGraphNodeEvent, 0};
  event.name_bytes = 8;
  class NoSink final : public ActivitySink {
   public:
    StringId intern(std::string_view) override { return {}; }
    void on(const KernelRecord&) override {}
    void on(const MemcpyRecord&) override {}
    void on(const MemsetRecord&) override {}
    void on(const OverheadRecord&) override {}
    void on(const DeviceRecord&) override {}
    void on(const ClockSyncRecord&) override {}
    RecordSink& records() override { return ignoring; }
    void lost(Loss, std::uint64_t) override {}
    test::IgnoringSink ignoring;
  } sink;
  EXPECT_FALSE(read_graph_event({}, event.header, sink)) << "its name is not there";
  event.name_bytes = 0;
  EXPECT_TRUE(read_graph_event({}, event.header, sink));
  event.header.kind = kGraphUpdateEvent;
  event.header.bytes = sizeof(EventHeader);
  EXPECT_FALSE(read_graph_event({}, event.header, sink));
  event.header.kind = kOsCallEvent;
  EXPECT_FALSE(read_graph_event({}, event.header, sink));
  EXPECT_FALSE(read_graph_kernel(event.header, sink));
  GraphKernelEvent kernel{{sizeof kernel, kGraphKernelEvent, 0}, 7, {1, 2, 3}, 8};
  EXPECT_FALSE(read_graph_kernel(kernel.header, sink)) << "its name is not there";
  kernel.name_bytes = 0;
  EXPECT_EQ(read_graph_kernel(kernel.header, sink)->node, 7U);
}

}  // namespace
}  // namespace prof::collectors
