// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the ops that are held back: what is recorded, what is counted, and that nothing is lost,
// of random programs, too.
#include "collectors/core/open_ranges.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace prof::collectors {
namespace {

constexpr ThreadId kRangeThread{3};

class Taker final : public RangeTaker {
 public:
  void take(const RangeRecord& range) override { ranges[range.id] = range; }
  OpFact fact_of(const OpEvent& op, std::string_view text, std::string_view bytes) override {
    EXPECT_TRUE(ops.insert(op.id).second) << "told twice";
    EXPECT_EQ(text.size(), op.text_bytes);
    EXPECT_EQ(bytes.size(), op.bytes);
    return {StringId{99}, op.id, kRangeThread};
  }
  void take(const HostOpRecord& record) override {
    EXPECT_EQ(record.thread, kRangeThread);
    host_ops.push_back(record);
  }
  [[nodiscard]] std::map<std::uint32_t, std::uint64_t> calls() const {
    std::map<std::uint32_t, std::uint64_t> found;
    for (const HostOpRecord& record : host_ops) found[record.name.value] += record.calls;
    return found;
  }

  std::map<RangeId, RangeRecord> ranges;
  std::set<RangeId> ops;
  std::vector<HostOpRecord> host_ops;
};

/// A thread whose clock moves by one with every event.
class OpenRangesTest : public ::testing::Test {
 protected:
  RangeRecord next(std::uint32_t name) {
    RangeRecord range;
    range.id = ++last_id_;
    range.parent = stack_.empty() ? 0 : stack_.back();
    range.thread = range.end_thread = kRangeThread;
    range.text = StringId{name};
    range.start_ns = ++now_;
    stack_.push_back(range.id);
    return range;
  }
  RangeId op(std::uint32_t name, std::uint16_t flags = 0) {
    const RangeRecord range = next(name);
    const OpEvent event{{0, EventKind::kOp, flags}, range.id, range.parent, range.start_ns, 4, 5};
    ranges_.push_op(range, event, "name", "bytes", taker_);
    return range.id;
  }
  RangeId push(std::uint32_t name) {
    const RangeRecord range = next(name);
    ranges_.push(range, {}, taker_);
    return range.id;
  }
  void pop() {
    ranges_.pop(stack_.back(), ++now_, taker_);
    stack_.pop_back();
  }
  void launch() { ranges_.call(taker_); }
  [[nodiscard]] bool is_recorded(RangeId id) const { return taker_.ranges.contains(id); }

  OpenRanges ranges_;
  Taker taker_;
  std::vector<RangeId> stack_;
  RangeId last_id_ = 0;
  std::int64_t now_ = 100;
};

TEST_F(OpenRangesTest, AnOpInWhichNothingHappensIsCountedWithTheRangeAroundIt) {
  const RangeId layer = push(1);
  const RangeId outer = op(2);
  const RangeId inner = op(3);
  pop();
  pop();
  EXPECT_TRUE(taker_.ranges.empty() && taker_.host_ops.empty());
  pop();
  EXPECT_TRUE(is_recorded(layer));
  EXPECT_FALSE(is_recorded(outer) || is_recorded(inner));
  ASSERT_EQ(taker_.host_ops.size(), 2U);
  EXPECT_EQ(taker_.host_ops[0], (HostOpRecord{layer, kRangeThread, StringId{2}, 1, 3, 2, 0}));
  EXPECT_EQ(taker_.host_ops[1], (HostOpRecord{layer, kRangeThread, StringId{3}, 1, 1, 1, 0}));
}

TEST_F(OpenRangesTest, WhatHappensInAnOpRecordsItWithAllAroundIt) {
  const RangeId outer = op(1);
  op(2);
  pop();
  const RangeId inner = op(3);
  launch();
  pop();
  pop();
  EXPECT_EQ(taker_.ops, (std::set<RangeId>{outer, inner}));
  EXPECT_EQ(taker_.ranges.at(inner).parent, outer);
  ASSERT_EQ(taker_.host_ops.size(), 1U);
  EXPECT_EQ(taker_.host_ops[0], (HostOpRecord{outer, kRangeThread, StringId{2}, 1, 1, 1, 0}));
}

TEST_F(OpenRangesTest, OpsThatLaterWorkMayReferToAreRecorded) {
  const RangeId outer = op(1);
  const RangeId numbered = op(2, kOpIsKept);
  pop();
  pop();
  EXPECT_TRUE(is_recorded(outer) && is_recorded(numbered));
}

TEST_F(OpenRangesTest, ANodeIsRecordedIfSomethingHappensBehindIt) {
  const RangeId call = op(1);
  const RangeId node = op(2, kOpIsNode);
  op(3);
  pop();
  pop();
  EXPECT_FALSE(is_recorded(node));
  const RangeId sum = op(4);
  launch();
  pop();
  pop();
  EXPECT_TRUE(is_recorded(call) && is_recorded(node) && is_recorded(sum));
  op(1);
  op(2, kOpIsNode);
  pop();
  pop();
  ranges_.finish(taker_);
  EXPECT_EQ(taker_.ranges.size(), 3U);
  EXPECT_EQ(taker_.calls(), (std::map<std::uint32_t, std::uint64_t>{{1, 1}, {2, 1}, {3, 1}}));
}

TEST_F(OpenRangesTest, AnOpThatOnlyCallsOneOfItsNameIsOneCall) {
  push(9);
  op(1);
  op(1);
  pop();
  pop();
  pop();
  ASSERT_EQ(taker_.host_ops.size(), 1U);
  EXPECT_EQ(taker_.host_ops[0], (HostOpRecord{1, kRangeThread, StringId{1}, 1, 3, 3, 0}));
}

TEST_F(OpenRangesTest, ARecordedOpThatOnlyCallsOneOfItsNameIsTheCall) {
  const RangeId outer = op(1, kOpIsKept);
  op(1);
  pop();
  pop();
  ASSERT_EQ(taker_.host_ops.size(), 1U);
  EXPECT_EQ(taker_.host_ops[0], (HostOpRecord{outer, kRangeThread, StringId{1}, 0, 0, 1, 0}));
  for (const bool launches : {true, false}) {
    taker_ = {};
    op(1, kOpIsKept);
    op(1);
    pop();
    if (launches) {
      launch();
    } else {
      push(2);
      pop();
    }
    pop();
    EXPECT_EQ(taker_.calls().at(1), 1U);
  }
}

TEST_F(OpenRangesTest, StepsAreCountedApart) {
  const RangeId loop = push(9);
  op(1);
  pop();
  const std::int64_t second = now_ + 1;
  op(1, kOpBeginsPiece);
  pop();
  pop();
  ASSERT_EQ(taker_.host_ops.size(), 2U);
  EXPECT_EQ(taker_.host_ops[0], (HostOpRecord{loop, kRangeThread, StringId{1}, 1, 1, 1, 102}));
  EXPECT_EQ(taker_.host_ops[1].start_ns, second);
}

TEST_F(OpenRangesTest, WhatIsCountedIsToldWithTheOpenRanges) {
  const RangeId loop = push(9);
  op(1);
  pop();
  op(2);
  ranges_.record_open(taker_);
  EXPECT_EQ(taker_.ranges.at(loop).end_ns, 0);
  EXPECT_EQ(taker_.calls(), (std::map<std::uint32_t, std::uint64_t>{{1, 1}}));
  EXPECT_TRUE(taker_.ops.empty());
  EXPECT_EQ(ranges_.finish(taker_), 2U);
  EXPECT_EQ(taker_.ops.size(), 1U) << "it may have been going to launch";
}

TEST_F(OpenRangesTest, ARangeHasTheSameTimesOnEveryStack) {
  const RangeId below = push(7);
  const RangeId above = push(8);
  op(1);
  pop();
  ranges_.pop(below, ++now_, taker_);
  constexpr RangeId kFirst = 50, kSecond = 51;
  ranges_.alias({{}, kFirst, above, 0}, taker_);
  op(2);
  ranges_.pop(last_id_, ++now_, taker_);
  ranges_.record_open(taker_);
  EXPECT_EQ(taker_.ranges.at(kFirst).end_ns, 0);
  ranges_.alias({{}, kSecond, above, 40}, taker_);
  ranges_.pop(above, ++now_, taker_);
  for (const RangeId id : {kFirst, kSecond}) {
    const RangeRecord& alias = taker_.ranges.at(id);
    EXPECT_EQ(alias.kind, RangeRecord::Kind::kAlias);
    EXPECT_EQ(alias.alias_of, above);
    EXPECT_EQ(alias.parent, id == kFirst ? 0U : 40U);
    EXPECT_EQ(alias.start_ns, taker_.ranges.at(above).start_ns);
    EXPECT_EQ(alias.end_ns, now_);
  }
  ASSERT_EQ(taker_.host_ops.size(), 2U);
  EXPECT_EQ(taker_.host_ops[0].range, above);
  EXPECT_EQ(taker_.host_ops[1].range, kFirst) << "counted on the stack on which it was";
  EXPECT_EQ(ranges_.finish(taker_), 0U);
}

/// Random nested ranges, ops and launches: each op is recorded, or counted once; what is counted
/// with a range is exactly the time of what is missing directly inside of it.
TEST_F(OpenRangesTest, NothingIsLostInRandomPrograms) {
  std::mt19937 random(7);
  const auto roll = [&random](unsigned sides) { return static_cast<unsigned>(random() % sides); };
  for (int program = 0; program < 300; ++program) {
    ranges_ = {};
    taker_ = {};
    std::map<RangeId, RangeRecord> all;
    std::set<RangeId> needed, ops;
    const auto open = [&](bool is_op) {
      const auto name = static_cast<std::uint32_t>(10 + stack_.size() * 10 + roll(3));
      const std::uint16_t flags = roll(12) == 0 ? kOpIsKept : roll(40) == 0 ? kOpBeginsPiece : 0;
      const RangeId parent = stack_.empty() ? 0 : stack_.back();
      const RangeId id = is_op ? op(name, flags) : push(name);
      if (is_op) ops.insert(id);
      if (!is_op || flags == kOpIsKept) needed.insert(stack_.begin(), stack_.end());
      RangeRecord& range = all[id];
      range.id = id;
      range.parent = parent;
      range.start_ns = now_;
    };
    const auto close = [&] {
      const RangeId id = stack_.back();
      pop();
      all[id].end_ns = now_;
    };
    for (int i = 0; i < 400; ++i) {
      const unsigned event = roll(20);
      if (event < 8 && stack_.size() < 12) {
        open(event != 0);
      } else if (event < 17 && !stack_.empty()) {
        close();
      } else if (event == 17) {
        launch();
        needed.insert(stack_.begin(), stack_.end());
      } else if (event == 18 && roll(10) == 0) {
        ranges_.record_open(taker_);
      }
    }
    while (!stack_.empty()) close();
    ranges_.finish(taker_);

    std::map<RangeId, std::int64_t> missing, counted;
    std::uint64_t calls = 0;
    for (const auto& [id, range] : all) {
      ASSERT_EQ(needed.contains(id), is_recorded(id)) << "program " << program << ", range " << id;
      if (needed.contains(id)) {
        EXPECT_EQ(range.end_ns, taker_.ranges.at(id).end_ns);
      } else {
        ++calls;
        if (range.parent == 0 || needed.contains(range.parent))
          missing[range.parent] += range.end_ns - range.start_ns;
      }
    }
    for (const HostOpRecord& record : taker_.host_ops) {
      counted[record.range] += record.self_ns;
      calls -= record.calls;
    }
    EXPECT_EQ(calls, 0U);
    EXPECT_EQ(missing, counted);
    for (const RangeId id : ops) EXPECT_EQ(needed.contains(id), taker_.ops.contains(id));
  }
}

}  // namespace
}  // namespace prof::collectors
