// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops of made programs whose steps are known: what repeats, what merely looks like it, and which
// of several loops is the step.
#include "analyzers/loops/find_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace prof {
namespace {

using loops::Launch;
using Body = std::vector<Launch>;

/// What a program launches, one after the other.
class Program {
 public:
  explicit Program(std::uint32_t seed = 1) : random_(seed) {}

  void run(const Body& body, std::uint32_t thread = 1) {
    for (Launch launch : body) {
      launch.time_ns = time_ns_ += 5'000;
      launch.name = launch.symbol;
      launch.thread = thread;
      log_.launches.push_back(launch);
    }
  }
  /// A third each of the changed launches is dropped, replaced, or followed by a new one.
  void run_changed(const Body& body, double part) {
    Body changed;
    for (const Launch& launch : body) {
      const bool is_changed = below(1'000'000) < part * 1'000'000;
      const std::uint32_t how = is_changed ? below(3) : 3;
      if (how == 0) continue;
      if (how != 1) changed.push_back(launch);
      if (how != 3) changed.push_back({.symbol = 5'000 + below(200), .has_kernel = true});
    }
    run(changed);
  }
  void pause(std::int64_t ns) { time_ns_ += ns; }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

  FoundSteps find() {
    std::ranges::stable_sort(log_.launches, {}, &Launch::time_ns);
    log_.symbols = 10'000;
    return find_steps(log_, [](RangeId stack) { return stack; });
  }
  [[nodiscard]] loops::LaunchLog& log() { return log_; }
  [[nodiscard]] std::int64_t now() const { return time_ns_; }

 private:
  std::mt19937 random_;
  std::int64_t time_ns_ = 0;
  loops::LaunchLog log_;
};

/// So many kernels, of which one in three is of a kind that comes again.
Body kernels(std::uint32_t first, std::uint32_t count) {
  Body body;
  for (std::uint32_t i = 0; i < count; ++i) {
    body.push_back({.symbol = i % 3 == 0 ? first : first + i, .has_kernel = true});
  }
  return body;
}

Body joined(const std::vector<Body>& parts) {
  Body body;
  for (const Body& part : parts) body.insert(body.end(), part.begin(), part.end());
  return body;
}

Body update(std::uint32_t count) {
  Body body = kernels(3'000, count);
  for (Launch& launch : body) launch.updates = true;
  return body;
}

Body read_back() { return {{.symbol = 4'000, .reads_back = true}}; }

/// Layers of equal kernels: forward, backward, then the update of weights.
Body training(std::uint32_t layers) {
  std::vector<Body> parts = {kernels(10, 5)};
  for (std::uint32_t i = 0; i < layers; ++i) parts.push_back(kernels(100, 10));
  parts.push_back(kernels(20, 5));
  for (std::uint32_t i = 0; i < layers; ++i) parts.push_back(kernels(200, 20));
  parts.push_back(update(8));
  return joined(parts);
}

std::size_t launches_of_step(const FoundSteps& found) {
  const auto step = std::ranges::find(found.loops, true, &FoundLoop::is_step);
  return found.steps.empty() ? 0 : step->launches;
}

void expect_steps(Program& program, std::size_t launches, std::size_t least, std::size_t most) {
  const FoundSteps found = program.find();
  EXPECT_EQ(launches_of_step(found), launches);
  EXPECT_GE(found.steps.size(), least);
  EXPECT_LE(found.steps.size(), most);
  for (std::size_t i = 1; i < found.steps.size(); ++i) {
    EXPECT_LE(found.steps[i - 1].end_ns, found.steps[i].begin_ns);
  }
}

TEST(FindSteps, StepsOfTrainingBeginAfterTheUpdate) {
  Program program;
  program.run(kernels(500, 200));
  const Body step = training(6);
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 20; ++i) {
    begins.push_back(program.now() + 5'000);
    program.run(step);
  }
  program.run(read_back());
  const FoundSteps found = program.find();
  ASSERT_EQ(found.steps.size(), begins.size());
  for (std::size_t i = 0; i < begins.size(); ++i) EXPECT_EQ(found.steps[i].begin_ns, begins[i]);
  EXPECT_EQ(found.evidence, StepEvidence::kUpdates);
  EXPECT_GT(found.confidence, 0.9);
}

TEST(FindSteps, ManyLayersAreNoSteps) {
  Program program;
  for (int i = 0; i < 8; ++i) program.run(training(96));
  expect_steps(program, training(96).size(), 8, 8);
  Program one;
  one.run(training(96));
  EXPECT_TRUE(one.find().steps.empty());
}

TEST(FindSteps, LayersOfOnePassMayBeSteps) {
  Program program;
  program.run(kernels(500, 40));
  for (int i = 0; i < 24; ++i) program.run(kernels(100, 20));
  program.run(kernels(100, 3));  // The last norm is like those of the layers.
  program.run(kernels(600, 3));
  const FoundSteps found = program.find();
  EXPECT_TRUE(found.steps.empty());
  EXPECT_EQ(found.evidence, StepEvidence::kNone);
  EXPECT_FALSE(found.loops.empty()) << "they are shown, but not as steps";
}

TEST(FindSteps, TurnsThatLaunchOtherLayersAreLayers) {
  Program program;
  for (RangeId layer = 1; layer <= 24; ++layer) {
    Body body = joined({kernels(100, 20), read_back()});
    for (Launch& launch : body) launch.stack = layer;
    program.run(body);
  }
  EXPECT_TRUE(program.find().steps.empty());
}

TEST(FindSteps, AnotherLoopWarmsUp) {
  Program program;
  for (int i = 0; i < 40; ++i) program.run(kernels(500, 30));
  for (int i = 0; i < 40; ++i) program.run(training(2));
  expect_steps(program, training(2).size(), 39, 40);
}

TEST(FindSteps, EvaluationComesBetweenSteps) {
  const Body step = training(4), pass = joined({kernels(10, 5), kernels(100, 40), read_back()});
  Program after;
  for (int i = 0; i < 40; ++i) after.run(step);
  for (int i = 0; i < 20; ++i) after.run(pass);
  expect_steps(after, step.size(), 39, 40);
  Program between;
  for (int i = 0; i < 60; ++i) {
    between.run(step);
    for (int k = 0; i % 10 == 9 && k < 5; ++k) between.run(pass);
  }
  expect_steps(between, step.size(), 54, 60);
  Program epochs;
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (int i = 0; i < 20; ++i) epochs.run(step);
    for (int i = 0; i < 10; ++i) epochs.run(pass);
  }
  expect_steps(epochs, step.size(), 95, 100);
}

TEST(FindSteps, MicroBatchesMakeAStep) {
  for (const int batches : {4, 8}) {
    Program program;
    Body step;
    for (int i = 0; i < batches; ++i) step = joined({step, kernels(100, 50), kernels(200, 90)});
    step = joined({step, update(12)});
    for (int i = 0; i < 20; ++i) program.run(step);
    expect_steps(program, step.size(), 19, 20);
  }
}

TEST(FindSteps, TokensOfPromptsAreSteps) {
  const Body prompt = kernels(700, 120), token = joined({kernels(100, 79), read_back()});
  Program program;
  for (int i = 0; i < 12; ++i) {
    program.run(prompt);
    const std::uint32_t tokens = 5 + program.below(36);
    for (std::uint32_t k = 0; k < tokens; ++k) program.run(token);
  }
  const FoundSteps found = program.find();
  EXPECT_EQ(launches_of_step(found), token.size());
  EXPECT_EQ(found.evidence, StepEvidence::kReadsBack);
}

TEST(FindSteps, AFewLaunchesMayDiffer) {
  for (const double part : {0.01, 0.05, 0.2}) {
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      Program program(seed);
      const Body step = training(9);
      for (int i = 0; i < 40; ++i) program.run_changed(step, part);
      const FoundSteps found = program.find();
      EXPECT_NEAR(static_cast<double>(launches_of_step(found)), static_cast<double>(step.size()),
                  0.03 * static_cast<double>(step.size()))
          << part << " of the launches, seed " << seed;
      EXPECT_NEAR(static_cast<double>(found.steps.size()), 40, 4);
    }
  }
}

TEST(FindSteps, BatchesOfOtherShapesAreStepsByName) {
  Program program;
  const Body step = training(4);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const std::uint32_t length = program.below(5);
    program.run(step);
    auto& launches = program.log().launches;
    for (std::size_t at = launches.size() - step.size(); at < launches.size(); ++at) {
      if (!launches[at].updates) launches[at].symbol += 1'000 * length + 4'500;
    }
  }
  expect_steps(program, step.size(), 39, 40);
}

TEST(FindSteps, TwoModelsThatTakeTurnsAreOneStep) {
  Program program;
  const Body both = joined({kernels(100, 60), update(6), kernels(100, 30), kernels(300, 30),
                            update(6), kernels(400, 4)});
  for (int i = 0; i < 20; ++i) program.run(both);
  expect_steps(program, both.size(), 19, 20);
}

TEST(FindSteps, ThreadsShareAStep) {
  // The forward pass and the update by one thread, the backward pass by another; one of its
  // solvers' inner loops reads back, too.
  Program program;
  for (int i = 0; i < 15; ++i) {
    program.run(kernels(100, 40), 1);
    program.run(kernels(200, 60), 2);
    for (int k = 0; k < 30; ++k) program.run(joined({kernels(300, 5), read_back()}), 1);
  }
  EXPECT_EQ(launches_of_step(program.find()), 40U + 60 + 30 * 6);
}

TEST(FindSteps, ThreadsMayHaveLoopsOfTheirOwn) {
  Program program;
  for (int i = 0; i < 60; ++i) {
    program.run(joined({kernels(100, 69), read_back()}), 1);
    program.run(joined({kernels(300, 109), read_back()}), 2);
    if (i % 7 == 0) program.run(kernels(300, 40), 2);
  }
  const std::size_t launches = launches_of_step(program.find());
  EXPECT_TRUE(launches == 70 || launches == 110 || launches == 180) << launches;
}

TEST(FindSteps, SetsBeforeTheLoopAreNoSteps) {
  const Body fill = {{.symbol = 900, .has_kernel = true}};
  Program program, one;
  for (int i = 0; i < 200; ++i) {
    program.run(fill);
    one.run(fill);
  }
  for (int i = 0; i < 10; ++i) program.run(training(9));
  one.run(training(9));
  expect_steps(program, training(9).size(), 9, 10);
  EXPECT_TRUE(one.find().steps.empty());
}

TEST(FindSteps, TriedOutKernelsAreNoSteps) {
  const auto tune = [](Program& program) {
    for (std::uint32_t kernel = 0; kernel < 12; ++kernel) {
      for (int i = 0; i < 20; ++i) program.run({{.symbol = 800 + kernel, .has_kernel = true}});
    }
  };
  const Body step = joined({kernels(100, 5), read_back()});
  Program program;
  tune(program);
  for (int i = 0; i < 80; ++i) program.run(step);
  expect_steps(program, step.size(), 79, 80);
  Program none;
  tune(none);
  none.run(kernels(100, 100));
  EXPECT_TRUE(none.find().steps.empty());
}

TEST(FindSteps, WhatDoesNotRepeatHasNoSteps) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    for (const std::uint32_t symbols : {400U, 5U}) {
      Program program(seed);
      for (int i = 0; i < 3'000; ++i) {
        program.run({{.symbol = program.below(symbols), .has_kernel = true}});
      }
      EXPECT_TRUE(program.find().steps.empty()) << symbols << " symbols, seed " << seed;
    }
  }
  Program shrinking;
  for (std::uint32_t i = 0; i < 400; ++i) {
    shrinking.run(
        {{.symbol = 100 + i, .has_kernel = true}, {.symbol = 1'000 + i, .has_kernel = true}});
  }
  EXPECT_TRUE(shrinking.find().steps.empty());
}

TEST(FindSteps, TwoTurnsMayBeACoincidence) {
  for (const std::size_t turns : {2U, 3U, 4U}) {
    Program program;
    for (std::size_t i = 0; i < turns; ++i) program.run(training(6));
    EXPECT_EQ(program.find().steps.size(), turns == 2 ? 0 : turns) << turns << " turns";
  }
}

TEST(FindSteps, PausesOfTheHostBeginSteps) {
  Program program;
  program.run(kernels(500, 7));
  const Body step = joined({kernels(100, 20), read_back(), kernels(100, 3)});
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 12; ++i) {
    program.pause(1'000'000);
    begins.push_back(program.now() + 5'000);
    program.run(step);
  }
  program.run(kernels(100, 5));
  const FoundSteps found = program.find();
  ASSERT_GE(found.steps.size(), 11U);
  for (const FoundStep& one : found.steps) {
    EXPECT_TRUE(std::ranges::count(begins, one.begin_ns)) << one.begin_ns;
  }
}

TEST(FindSteps, ProgramsWithoutLaunchesHaveNoSteps) {
  EXPECT_TRUE(Program().find().steps.empty());
  Program one;
  one.run(kernels(1, 1));
  EXPECT_TRUE(one.find().steps.empty());
}

}  // namespace
}  // namespace prof
