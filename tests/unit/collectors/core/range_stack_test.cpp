// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/range_stack.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace prof::collectors {
namespace {

constexpr DomainId kA{1}, kB{2}, kFar{5000};

class RangeStackTest : public testing::Test {
 protected:
  RangeStackTest() {
    stack.entries().attach(entries.data(), kFirst, kDepth);
    stack.tops().attach(tops.data(), kFirst, kDomains);
    stack.arena().attach(arena.data(), kFirst, kArena);
  }

  RangeStack::Pushed push(DomainId domain, const std::string& text) {
    EXPECT_EQ(stack.make_room(static_cast<std::uint32_t>(text.size())), text.size());
    std::memcpy(stack.scratch(), text.data(), text.size());
    Annotation annotation;
    annotation.domain = domain;
    annotation.text_bytes = static_cast<std::uint32_t>(text.size());
    return stack.push(annotation, ++time);
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < stack.depth(); ++i) all.emplace_back(stack.text(stack.at(i)));
    return all;
  }

  static constexpr std::uint32_t kDepth = 32, kDomains = 6000, kArena = 4096;
  static constexpr std::uint32_t kFirst = 2;  ///< So that all grow, and more often than once.
  std::vector<OpenRange> entries = std::vector<OpenRange>(kFirst);
  std::vector<RangeStack::DomainTop> tops = std::vector<RangeStack::DomainTop>(kFirst);
  std::vector<char> arena = std::vector<char>(kFirst);
  RangeStack stack;
  std::int64_t time = 0;
};

using Texts = std::vector<std::string>;

TEST_F(RangeStackTest, LevelsCountPerDomain) {
  EXPECT_EQ(push(kA, "a0").level, 0);
  EXPECT_EQ(push(kB, "b0").level, 0);
  EXPECT_EQ(push(kA, "a1").level, 1);
  EXPECT_EQ(push(kFar, "f0").level, 0);
  EXPECT_EQ(stack.pop(kFar).level, 0);
  EXPECT_EQ(stack.pop(kA).level, 1);
  EXPECT_EQ(stack.pop(kA).level, 0);
  EXPECT_EQ(stack.pop(kA).level, -1);
  EXPECT_EQ(stack.pop(kB).level, 0);
  EXPECT_EQ(stack.pop(DomainId{77}).level, -1);
}

TEST_F(RangeStackTest, APopTakesTheInnermostRangeOfItsDomain) {
  push(kA, "outer");
  push(kB, "middle");
  push(kA, "inner");
  const RangeStack::Popped popped = stack.pop(kB);
  EXPECT_TRUE(popped.kept);
  EXPECT_EQ(popped.range.start_ns, 2);
  EXPECT_EQ(stack.first_moved(), 1U) << "inner";
  EXPECT_EQ(texts(), (Texts{"outer", "inner"}));
  EXPECT_EQ(stack.pop(kA).range.start_ns, 3);
  EXPECT_EQ(stack.pop(kA).range.start_ns, 1);
  EXPECT_EQ(stack.depth(), 0U);
}

TEST_F(RangeStackTest, AnUntoldRangeIsTransparent) {
  push(kA, "told").entry->stack_id = 10;
  EXPECT_EQ(push(kA, "unrecorded").entry->stack_id, 10U);
  EXPECT_EQ(stack.top_stack_id(), 10U);
  EXPECT_EQ(stack.stack_id_below(1), 10U);
  EXPECT_EQ(stack.stack_id_below(0), 0U);
}

TEST_F(RangeStackTest, TooDeepIsCountedByLevelAndPopsInOrder) {
  for (std::uint32_t i = 0; i < kDepth; ++i) EXPECT_NE(push(kA, "x").entry, nullptr);
  EXPECT_EQ(push(kA, "deep").entry, nullptr);
  EXPECT_EQ(push(kB, "deep").entry, nullptr);
  EXPECT_EQ(push(kA, "deeper").level, static_cast<int>(kDepth) + 1);
  EXPECT_EQ(stack.innermost(kA), nullptr) << "the innermost is not kept";
  EXPECT_FALSE(stack.pop(kA).kept);
  EXPECT_EQ(stack.pop(kA).level, static_cast<int>(kDepth));
  EXPECT_EQ(stack.pop(kB).level, 0);
  EXPECT_EQ(stack.pop(kB).level, -1);
  const RangeStack::Popped popped = stack.pop(kA);
  EXPECT_TRUE(popped.kept);
  EXPECT_EQ(popped.level, static_cast<int>(kDepth) - 1);
  EXPECT_NE(push(kB, "fits again").entry, nullptr);
}

TEST_F(RangeStackTest, ASlidingPatternNeverFillsUp) {
  push(kA, "first");
  for (int i = 0; i < 10'000; ++i) {
    const DomainId next = i % 2 == 0 ? kB : kA;
    ASSERT_NE(push(next, "text " + std::to_string(i)).entry, nullptr) << i;
    stack.pop(i % 2 == 0 ? kA : kB);
    ASSERT_EQ(stack.depth(), 1U);
    ASSERT_EQ(texts().front(), "text " + std::to_string(i));
  }
}

TEST_F(RangeStackTest, AgreesWithASimpleModelOnRandomCalls) {
  struct Simple {
    DomainId domain;
    std::string text;
  };
  std::vector<Simple> model;
  constexpr std::size_t kNone = SIZE_MAX;
  std::size_t moved = kNone;
  std::minstd_rand random(7);
  const DomainId domains[] = {kA, kB, DomainId{3}, kFar};
  for (int i = 0; i < 20'000; ++i) {
    const DomainId domain = domains[random() % 4];
    if (random() % 2 == 0 && model.size() < kDepth) {
      const std::string text(random() % 40, static_cast<char>('a' + i % 26));
      int level = 0;
      for (const Simple& open : model) level += open.domain == domain;
      ASSERT_EQ(push(domain, text).level, level);
      model.push_back({domain, text});
    } else {
      std::size_t at = model.size();
      while (at != 0 && model[at - 1].domain != domain) --at;
      const RangeStack::Popped popped = stack.pop(domain);
      ASSERT_EQ(popped.kept, at != 0);
      if (at == 0) continue;
      if (at < model.size()) moved = std::min(moved, at - 1);
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(at - 1));
    }
    if (moved >= model.size()) moved = kNone;
    ASSERT_EQ(stack.first_moved(), std::min(moved, model.size()));
    if (random() % 50 == 0) {
      stack.forget_moves();
      moved = kNone;
    }
    Texts expected;
    std::uint32_t bytes = 0;
    for (const Simple& open : model) {
      expected.push_back(open.text);
      bytes += static_cast<std::uint32_t>(open.text.size());
    }
    ASSERT_EQ(texts(), expected);
    ASSERT_EQ(stack.make_room(kArena), kArena - bytes) << "the arena stays packed";
  }
}

}  // namespace
}  // namespace prof::collectors
