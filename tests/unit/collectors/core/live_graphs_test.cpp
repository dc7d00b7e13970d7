// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What is kept of graphs from one session to the next.
#include "collectors/core/live_graphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace prof::collectors {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr ThreadId kBuilder{1}, kOther{2};
constexpr std::uint64_t node_of(std::uint64_t graph, std::uint64_t number = 0) {
  return graph << 32 | number;
}

/// Gives texts ids of its own, and keeps the records.
class NextSession final : public ActivitySink {
 public:
  StringId intern(std::string_view text) override {
    texts[++last_.value] = text;
    return last_;
  }
  void on(const KernelRecord&) override {}
  void on(const MemcpyRecord&) override {}
  void on(const MemsetRecord&) override {}
  void on(const OverheadRecord&) override {}
  void on(const DeviceRecord&) override {}
  void on(const ClockSyncRecord&) override {}
  RecordSink& records() override { return batch; }
  void lost(Loss, std::uint64_t) override {}

  [[nodiscard]] std::vector<std::uint64_t> nodes() const {
    std::vector<std::uint64_t> found;
    batch.each<GraphNodeRecord>([&](const auto& node) { found.push_back(node.graph_node); });
    return found;
  }
  /// The stack's texts, outermost first.
  [[nodiscard]] std::string stack(RangeId id) const {
    std::string path;
    batch.each<RangeRecord>([&](const RangeRecord& range) {
      if (range.id != id) return;
      path = (range.parent == 0 ? "" : stack(range.parent) + "/") + texts.at(range.text.value) +
             std::string(range.numbers);
    });
    return path;
  }

  RecordBatch batch;
  std::map<std::uint32_t, std::string> texts;

 private:
  StringId last_{100};
};

class LiveGraphsTest : public ::testing::Test {
 protected:
  /// What happened so far, as one batch.
  void learn() {
    graphs.learn(batch);
    batch.clear();
  }
  void text(std::uint32_t id, std::string_view text) { batch.on(StringRecord{{id}, text}); }
  void range(RangeId id, RangeId parent, std::uint32_t text, std::int64_t end_ns = 0,
             std::string_view numbers = {}) {
    RangeRecord record;
    record.id = id;
    record.parent = parent;
    record.thread = record.end_thread = kBuilder;
    record.text = {text};
    record.numbers = numbers;
    record.start_ns = ++now;
    record.end_ns = end_ns;
    batch.on(record);
  }
  void node(std::uint64_t node, RangeId stack, std::uint64_t original = 0) {
    batch.on(GraphNodeRecord{
        node, static_cast<std::uint32_t>(node >> 32), original, 0, {}, {}, kBuilder, stack, ++now});
  }
  void end(std::uint32_t graph, ThreadId thread = kBuilder) {
    batch.on(GraphEndRecord{graph, thread, ++now});
  }
  void update(std::uint64_t node, std::uint64_t like, RangeId stack = 0) {
    batch.on(GraphUpdateRecord{node, like, kBuilder, stack, ++now});
  }
  /// An executable of one node.
  void instantiate(std::uint32_t exec, std::uint32_t graph) {
    const std::int64_t start_ns = ++now;
    node(node_of(exec), 0, node_of(graph));
    batch.on(GraphExecRecord{exec, graph, kBuilder, start_ns, ++now});
  }
  /// Starts the next session long after everything so far.
  NextSession& record() {
    learn();
    pass_time();
    graphs.end_session(now);
    next = NextSession();
    graphs.record(next);
    return next;
  }
  /// Long after everything so far.
  void pass_time() { now += 60'000'000'000; }

  LiveGraphs graphs;
  RecordBatch batch;
  NextSession next;
  std::int64_t now = 0;
};

TEST_F(LiveGraphsTest, ANodeHasItsStackWhetherItsRangesHaveEndedOrNot) {
  text(1, "root");
  text(2, "layer");
  range(10, 0, 1);
  learn();
  node(node_of(1), 11);
  learn();
  range(11, 10, 2, 50);
  range(12, 10, 2, 60);
  record();
  ASSERT_THAT(next.nodes(), ElementsAre(node_of(1)));
  EXPECT_EQ(next.stack(11), "root/layer");
  EXPECT_EQ(next.stack(12), "") << "No node needs it";
  next.batch.each<RangeRecord>([](const RangeRecord& range) { EXPECT_NE(range.end_ns, 0); });
}

TEST_F(LiveGraphsTest, ARangeOfTheSameBatchIsKnown) {
  text(1, "layer");
  node(node_of(1), 11);
  range(11, 0, 1, 50);
  EXPECT_EQ(record().stack(11), "layer");
}

TEST_F(LiveGraphsTest, NestedRangesAreLearnedAgain) {
  text(1, "range");
  node(node_of(1), 19);
  for (RangeId id = 19; id >= 10; --id) range(id, id == 10 ? 0 : id - 1, 1, 100);
  for (int session = 0; session < 3; ++session) {
    RecordBatch recorded = std::move(record().batch);
    for (const auto& [id, text] : next.texts) recorded.on(StringRecord{{id}, text});
    graphs.learn(recorded);
    EXPECT_EQ(graphs.ranges(), 10U);
  }
}

TEST_F(LiveGraphsTest, TheLastRangesWithNumbersAreKept) {
  text(1, "root");
  text(2, "op, seq = \x01");
  range(10, 0, 1);
  for (RangeId id = 11; id < 100'011; ++id) {
    range(id, 10, 2, 50, "7");
    if (id % 1000 == 0) learn();
    EXPECT_LT(graphs.ranges(), 40'000U);
  }
  EXPECT_EQ(record().stack(100'010), std::string("root/op, seq = \x01") + "7");
  EXPECT_EQ(next.stack(11), "") << "Too old";
  EXPECT_EQ(graphs.ranges(), 0U);
}

TEST_F(LiveGraphsTest, WhatIsToldIsForgottenAndLearnedAgain) {
  text(1, "layer");
  node(node_of(1), 11);
  range(11, 0, 1, 50);
  RecordBatch recorded = std::move(record().batch);
  for (const auto& [id, text] : next.texts) recorded.on(StringRecord{{id}, text});
  EXPECT_EQ(graphs.graphs(), 0U);
  graphs.learn(recorded);
  graphs.end_session(++now);
  NextSession last;
  graphs.record(last);
  EXPECT_THAT(last.nodes(), ElementsAre(node_of(1)));
  EXPECT_EQ(last.stack(11), "layer");
}

TEST_F(LiveGraphsTest, WhatTheTraceHasIsNotToldAgain) {
  // A capture records one graph and the update of another that it was recorded of.
  text(1, "layer");
  node(node_of(1), 11);
  range(11, 0, 1, 50);
  instantiate(2, 1);
  learn();
  graphs.end_session(now);
  graphs.mark_recorded();
  // Between captures a graph is made, and the first one changes.
  node(node_of(3), 12);
  range(12, 11, 1, now + 50);
  update(node_of(2), node_of(3));
  EXPECT_THAT(record().nodes(), ElementsAre(node_of(3)));
  EXPECT_EQ(next.stack(12), "/layer") << "its outer range is in the trace";
  std::size_t updates = 0, executables = 0;
  next.batch.each<GraphUpdateRecord>([&](const auto&) { ++updates; });
  next.batch.each<GraphExecRecord>([&](const auto&) { ++executables; });
  EXPECT_EQ(updates, 1U);
  EXPECT_EQ(executables, 0U);
  // The next capture has learned it from its own records.
  graphs.learn(next.batch);
  graphs.end_session(++now);
  graphs.mark_recorded();
  EXPECT_EQ(graphs.graphs(), 3U);
  EXPECT_THAT(record().nodes(), IsEmpty());
}

TEST_F(LiveGraphsTest, WhatIsUnderUnknownRangesIsLeftOut) {
  text(1, "layer");
  node(node_of(1), 11);
  node(node_of(2), 12);
  range(11, 9, 1, 50);
  range(12, 0, 1, 60);
  EXPECT_THAT(record().nodes(), ElementsAre(node_of(2)));
}

TEST_F(LiveGraphsTest, AGraphThatEndedStaysAsLongAsItsExecutableLives) {
  text(1, "layer");
  node(node_of(1), 11);
  range(11, 0, 1, 50);
  instantiate(2, 1);
  end(1);
  pass_time();
  EXPECT_THAT(record().nodes(), UnorderedElementsAre(node_of(1), node_of(2)));
  graphs.learn(next.batch);
  end(2);
  record();
  EXPECT_THAT(next.nodes(), IsEmpty());
  EXPECT_EQ(next.stack(11), "");
}

TEST_F(LiveGraphsTest, AGraphThatHasJustEndedMayStillRun) {
  node(node_of(1), 0);
  end(1);
  learn();
  graphs.end_session(now + 1'000);
  graphs.record(next);
  EXPECT_THAT(next.nodes(), ElementsAre(node_of(1)));
}

TEST_F(LiveGraphsTest, EmbeddedGraphsBelongToTheExecutableInWhoseMakingTheyEnd) {
  const std::int64_t start_ns = ++now;
  node(node_of(2), 0, node_of(1));
  node(node_of(3), 0, node_of(5));  // The child's copy.
  node(node_of(4), 0);
  end(3);
  learn();
  end(4, kOther);
  batch.on(GraphExecRecord{2, 1, kBuilder, start_ns, ++now});
  pass_time();
  EXPECT_THAT(record().nodes(), UnorderedElementsAre(node_of(2), node_of(3)));
}

TEST_F(LiveGraphsTest, OnlyTheLastUpdateKeepsItsGraph) {
  node(node_of(1), 0);
  instantiate(2, 1);
  for (std::uint32_t graph = 3; graph < 1000; ++graph) {
    node(node_of(graph), 0);
    update(node_of(2), node_of(graph));
    update(node_of(2), 0, 0);
    end(graph);
    now += 100'000'000;
    learn();
    EXPECT_LT(graphs.graphs(), 300U);
  }
  EXPECT_THAT(record().nodes(), UnorderedElementsAre(node_of(1), node_of(2), node_of(999)));
  std::vector<std::uint64_t> likes;
  next.batch.each<GraphUpdateRecord>(
      [&](const auto& record) { likes.push_back(record.like_node); });
  EXPECT_THAT(likes, ElementsAre(node_of(999), 0));
}

TEST_F(LiveGraphsTest, TextsAndThreadsThatNothingNeedsAreForgotten) {
  text(1, "layer");
  text(2, "other");
  text(3, "thread");
  batch.on(ThreadRecord{kBuilder, 7, 0, {3}});
  batch.on(ThreadRecord{kOther, 8, 0, {2}});
  node(node_of(1), 11);
  range(11, 0, 1, 50);
  learn();
  graphs.end_session(++now);
  EXPECT_EQ(graphs.texts(), 2U);
  graphs.record(next);
  std::vector<std::uint32_t> threads;
  next.batch.each<ThreadRecord>([&](const auto& thread) { threads.push_back(thread.os_tid); });
  EXPECT_THAT(threads, ElementsAre(7));
}

TEST_F(LiveGraphsTest, KernelsAreToldAfterTheirNodesAndPassedOnWithThem) {
  text(1, "layer");
  text(2, "gemm");
  node(node_of(1), 11);
  node(node_of(1, 1), 11);
  range(11, 0, 1, 50);
  graphs.learn({node_of(1, 1), {2}, {3, 1, 1}});
  record();
  std::map<std::uint64_t, std::string> functions;
  next.batch.each<GraphNodeRecord>([&](const auto& recorded) {
    functions[recorded.graph_node] =
        (recorded.function.value == 0 ? "" : next.texts.at(recorded.function.value)) +
        std::to_string(recorded.grid.x);
  });
  EXPECT_EQ(functions,
            (std::map<std::uint64_t, std::string>{{node_of(1), "1"}, {node_of(1, 1), "gemm3"}}));
}

TEST_F(LiveGraphsTest, MemoryIsThatOfLiveGraphs) {
  text(1, "layer");
  for (std::uint32_t graph = 1; graph < 20'000; graph += 2) {
    node(node_of(graph), graph);
    range(graph, 0, 1, now);
    instantiate(graph + 1, graph);
    end(graph);
    end(graph + 1);
    now += 100'000'000;
    learn();
    ASSERT_LT(graphs.graphs(), 600U);
    ASSERT_LT(graphs.ranges(), 600U);
  }
}

}  // namespace
}  // namespace prof::collectors
