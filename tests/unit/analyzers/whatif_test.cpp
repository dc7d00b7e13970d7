// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What changes gain in programs whose rules are known: the graph is built from the program as it
// is, and its answer compared with the changed program.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "analyzers/whatif/critical_path.hpp"
#include "analyzers/whatif/gain.hpp"
#include "analyzers/whatif/graph_builder.hpp"
#include "analyzers/whatif/held_out.hpp"
#include "tests/unit/analyzers/made_program.hpp"

namespace prof::whatif {
namespace {

using fakes::MadeProgram;

constexpr int kSteps = 12;

/// A program that can be changed, and the works or calls that the change is about.
struct Changeable {
  bool is_changed = false;
  Places touched = {};
};
using Step = std::function<void(MadeProgram&, Changeable&)>;

RecordedRun run_of(const Step& step, Changeable& how, MadeProgram program = {}) {
  for (int i = 0; i < kSteps; ++i) {
    program.begin_step();
    step(program, how);
  }
  return program.finish();
}

double period_of(const RecordedRun& run) {
  std::vector<std::int64_t> periods;
  for (const RunStep& step : run.steps) {
    if (step.is_steady) periods.push_back(step.period_end_ns - step.begin_ns);
  }
  // The last half: the first steps fill the queue.
  periods.erase(periods.begin(), periods.begin() + static_cast<std::ptrdiff_t>(periods.size() / 2));
  const std::int64_t sum = std::accumulate(periods.begin(), periods.end(), std::int64_t{0});
  return static_cast<double>(sum) / static_cast<double>(periods.size());
}

struct Answer {
  double gained_ns = 0;  ///< By the changed program.
  double period_ns = 0;
  Gain predicted;
  GraphEvidence evidence;
};

template <typename MakeChange>
Answer ask(const Step& step, MakeChange make_change, const MadeProgram& program = {}) {
  Changeable as_is, changed{.is_changed = true};
  const RecordedRun run = run_of(step, as_is, program);
  const RecordedRun other = run_of(step, changed, program);
  const StepGraph graph = build_graph(run);
  const Times times = replay(graph);
  for (NodeId node = 0; node < graph.size(); ++node) {
    EXPECT_EQ(times.ends_ns[node], graph.observed_ends_ns[node]) << "node " << node;
  }
  const Change change = make_change(std::move(as_is.touched));
  Gains gains(graph, 0);
  const std::optional<Gain> gain = gains.of(std::span(&change, 1));
  EXPECT_TRUE(gain) << gains.why_not();
  return {period_of(run) - period_of(other), period_of(run), gain.value_or(Gain{}), graph.evidence};
}

void expect_near(const Answer& answer, double share = 0.02) {
  const double allowed = std::max(share * std::abs(answer.gained_ns), 200.0);
  EXPECT_NEAR(answer.predicted.typical_ns, answer.gained_ns, allowed);
}

Change half(Places works) { return Scale{std::move(works), 0.5}; }

TEST(WhatIf, AQueuedStreamGainsWhatItsKernelsLose) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 20; ++i) {
          how.touched.push_back(program.launch(how.is_changed ? 20'000 : 40'000));
        }
      },
      half);
  EXPECT_NEAR(answer.gained_ns, 400'000, 1);
  expect_near(answer);
}

TEST(WhatIf, KernelsHiddenBehindLaunchesGainNothing) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 20; ++i) {
          program.way(10'000);
          how.touched.push_back(program.launch(how.is_changed ? 1'000 : 2'000));
        }
      },
      half);
  EXPECT_EQ(answer.gained_ns, 0);
  EXPECT_EQ(answer.predicted.typical_ns, 0);
  EXPECT_EQ(answer.predicted.high_ns, 0);
}

TEST(WhatIf, KernelsGainUntilTheHostIsSlower) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 20; ++i) {
          program.way(26'000);
          how.touched.push_back(program.launch(how.is_changed ? 20'000 : 40'000));
        }
      },
      half);
  EXPECT_NEAR(answer.gained_ns, 20 * 11'000, 2'000);
  expect_near(answer);
}

const Step kLaunchBound = [](MadeProgram& program, Changeable& how) {
  for (int i = 0; i < 20; ++i) {
    program.way(10'000);
    how.touched.push_back(program.launch(2'000));
  }
};

TEST(WhatIf, OneGraphLaunchRemovesTheHost) {
  Changeable as_is;
  const RecordedRun run = run_of(kLaunchBound, as_is);
  const StepGraph graph = build_graph(run);
  Gains gains(graph, 0);
  const Change change = NoLaunch{as_is.touched};
  const std::optional<Gain> gain = gains.of(std::span(&change, 1));
  ASSERT_TRUE(gain);
  // 20 times 14 us without it. With it, 20 kernels one behind the other.
  const double with = 20 * 2'000 + 20 * 1'200;
  EXPECT_NEAR(gain->typical_ns, 20 * 14'000 - with, 4'000);
}

TEST(WhatIf, AFullQueueHoldsTheHost) {
  MadeProgram program;
  program.queue_limit = 1000;
  const Step step = [](MadeProgram& made, Changeable& how) {
    for (int i = 0; i < 300; ++i) {
      how.touched.push_back(made.launch(how.is_changed ? 10'000 : 20'000));
    }
  };
  const Answer answer = ask(step, half, program);
  EXPECT_NEAR(answer.gained_ns, 3'000'000, 10'000);
  expect_near(answer);
  EXPECT_EQ(answer.evidence.wrong_edges, 0U);
}

TEST(WhatIf, AWaitOfTheHostIsNoFixedTime) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 10; ++i) {
          program.way(3'000);
          how.touched.push_back(program.launch(how.is_changed ? 30'000 : 60'000));
        }
        program.wait();
        program.way(100'000);
      },
      half);
  EXPECT_NEAR(answer.gained_ns, 300'000, 2'000);
  expect_near(answer);
}

TEST(WhatIf, WithoutAWaitTheHostRunsAhead) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 10; ++i) {
          program.way(3'000);
          program.launch(60'000);
        }
        if (!how.is_changed) how.touched.push_back(program.wait());
        program.way(100'000);
      },
      [](Places calls) { return NoWait{std::move(calls)}; });
  EXPECT_GT(answer.gained_ns, 100'000);
  expect_near(answer, 0.03);
}

TEST(WhatIf, APageableCopyHoldsTheHost) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 5; ++i) program.launch(20'000);
        how.touched.push_back(program.copy(how.is_changed ? 100'000 : 200'000));
        program.way(50'000);
      },
      half);
  EXPECT_NEAR(answer.gained_ns, 100'000, 1'000);
  expect_near(answer);
}

/// A second stream that the first one waits for: `gap` is how long the first computes meanwhile.
Step with_two_streams(std::int64_t side_ns, std::int64_t main_ns) {
  return [=](MadeProgram& program, Changeable& how) {
    program.launch(100'000, 0);
    program.wait_for(1, 0);
    how.touched.push_back(program.launch(how.is_changed ? side_ns / 2 : side_ns, 1));
    program.launch(main_ns, 0);
    program.wait_for(0, 1);
    program.launch(50'000, 0);
  };
}

TEST(WhatIf, AStreamThatAnotherWaitsForGains) {
  const Answer answer = ask(with_two_streams(300'000, 20'000), half);
  EXPECT_NEAR(answer.gained_ns, 150'000, 1'000);
  EXPECT_GT(answer.evidence.event_edges, 0U);
  expect_near(answer);
}

TEST(WhatIf, AStreamNobodyWaitsForLongGainsNothing) {
  const Answer answer = ask(with_two_streams(100'000, 300'000), half);
  EXPECT_EQ(answer.gained_ns, 0);
  EXPECT_EQ(answer.predicted.typical_ns, 0);
}

TEST(WhatIf, WithoutEdgesOfEventsTheAnswerIsWrong) {
  Changeable as_is;
  const RecordedRun run = run_of(with_two_streams(300'000, 20'000), as_is);
  StepGraph graph = build_graph(run);
  for (std::size_t i = 0; i < graph.from.size(); ++i) {
    if (graph.edge_class[i] == EdgeClass::kEvent) {
      // Waits for what is long over.
      graph.from[i] = 0;
    }
  }
  const Change change = half(as_is.touched);
  Gains gains(graph, 0);
  const std::optional<Gain> gain = gains.of(std::span(&change, 1));
  ASSERT_TRUE(gain);
  EXPECT_LT(gain->typical_ns, 75'000);
}

TEST(WhatIf, ThreadsThatTakeTurnsFollowEachOther) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 10; ++i) {
          program.way(10'000, 0);
          how.touched.push_back(program.launch(how.is_changed ? 0 : 2'000, 0, 0));
        }
        program.follow(1, 0);
        for (int i = 0; i < 10; ++i) {
          program.way(8'000, 1);
          program.launch(2'000, 0, 1);
        }
        program.follow(0, 1);
      },
      [](Places works) { return NoLaunch{std::move(works)}; });
  // As a graph, the first thread's launches take one call of the ten.
  EXPECT_NEAR(answer.predicted.typical_ns, 9 * 14'000, 13'000);
}

TEST(WhatIf, AFewCallsAtTheSamePlacesOfStepsAreATurn) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 6; ++i) {
          const bool is_pause = i == 3;
          program.way(is_pause && !how.is_changed ? 900'000 : 50'000, 0);
          const std::uint32_t work = program.launch(2'000, 0, 0);
          if (is_pause) how.touched.push_back(work);  // As many calls as works.
        }
        program.follow(1, 0);
        program.way(20'000, 1);
        program.launch(2'000, 0, 1);
        program.follow(0, 1);
      },
      [](Places calls) { return NoIdle{std::move(calls)}; });
  EXPECT_NEAR(answer.gained_ns, 850'000, 1);
  expect_near(answer);
}

TEST(WhatIf, ThreadsSideBySideDoNotWait) {
  const Step step = [](MadeProgram& program, Changeable& how) {
    for (int i = 0; i < 10; ++i) {
      program.way(10'000, 0);
      program.launch(2'000, 0, 0);
      program.way(4'000, 1);
      how.touched.push_back(program.launch(2'000, 1, 1));
    }
    program.follow(1, 0);
  };
  Changeable as_is;
  const StepGraph graph = build_graph(run_of(step, as_is));
  const bool hands_over =
      std::ranges::find(graph.edge_class, EdgeClass::kHandOver) != graph.edge_class.end();
  EXPECT_FALSE(hands_over);
}

TEST(WhatIf, APlantedDelayShowsAsItsRise) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 20; ++i) {
          const bool is_slow = how.is_changed && i == 7;
          const std::uint32_t work = program.launch(is_slow ? 90'000 : 40'000);
          if (i == 7) how.touched.push_back(work);
        }
      },
      [](Places works) {
        return Add{std::move(works), 50'000};
      });
  EXPECT_NEAR(answer.gained_ns, -50'000, 1);
  expect_near(answer);
}

/// What a made step does: the numbers are drawn once, so that all steps are alike.
struct Act {
  enum class Kind : std::uint8_t { kLaunch, kWay, kWait, kCopy, kEvent } kind = Kind::kLaunch;
  std::int64_t ns = 0;
  std::uint16_t stream = 0, thread = 0;
};

std::vector<Act> drawn_step(std::mt19937& random, bool has_streams) {
  const auto draw = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  // Some are bound by the host, some by the GPU.
  const int way = 1'000 + draw(4) * 6'000, kernel = 3'000 + draw(4) * 12'000;
  std::vector<Act> acts;
  for (int i = 0; i < 40; ++i) {
    acts.push_back({Act::Kind::kWay, draw(way)});
    const bool is_side = has_streams && draw(4) == 0;
    const auto stream = static_cast<std::uint16_t>(is_side ? 1 : 0);
    if (is_side) acts.push_back({Act::Kind::kEvent, 0, 1, 0});
    acts.push_back({Act::Kind::kLaunch, 2'000 + draw(kernel), stream});
    if (is_side && draw(2) == 0) acts.push_back({Act::Kind::kEvent, 1, 0, 0});
    if (draw(20) == 0) acts.push_back({Act::Kind::kWait, 0, stream});
    if (draw(30) == 0) acts.push_back({Act::Kind::kCopy, 5'000 + draw(50'000), stream});
  }
  acts.push_back({Act::Kind::kEvent, 1, 0, 0});
  acts.push_back({Act::Kind::kLaunch, 5'000, 0});
  return acts;
}

/// The kernel of that number is slower by the delay.
Step delayed(const std::vector<Act>& acts, int place, std::int64_t delay_ns) {
  return [=](MadeProgram& program, Changeable& how) {
    int launches = 0;
    for (const Act& act : acts) {
      switch (act.kind) {
        case Act::Kind::kWay:
          program.way(act.ns);
          break;
        case Act::Kind::kWait:
          program.wait(act.stream);
          break;
        case Act::Kind::kCopy:
          program.copy(act.ns, act.stream);
          break;
        case Act::Kind::kEvent:
          program.wait_for(act.stream, static_cast<std::uint16_t>(act.ns));
          break;
        case Act::Kind::kLaunch: {
          const bool is_delayed = launches++ == place;
          const std::int64_t more = is_delayed && how.is_changed ? delay_ns : 0;
          const std::uint32_t work = program.launch(act.ns + more, act.stream);
          if (is_delayed) how.touched.push_back(work);
        }
      }
    }
  };
}

/// How many of 200 planted delays show as they rise: within 10 %, or 1 % of the step.
int right_delays(bool has_streams, bool records_stream_waits) {
  MadeProgram made;
  made.records_stream_waits = records_stream_waits;
  std::mt19937 random(7);
  int right = 0;
  for (int program = 0; program < 20; ++program) {
    const std::vector<Act> acts = drawn_step(random, has_streams);
    for (int i = 0; i < 10; ++i) {
      const auto place = static_cast<int>(random() % 40U);
      const auto delay = static_cast<std::int64_t>(10'000 + random() % 100'000U);
      const auto add = [&](Places works) { return Add{std::move(works), delay}; };
      const Answer answer = ask(delayed(acts, place, delay), add, made);
      const double apart = std::abs(answer.predicted.typical_ns - answer.gained_ns);
      const bool is_right =
          apart <= std::max(0.1 * std::abs(answer.gained_ns), 0.01 * answer.period_ns);
      if (is_right) ++right;
    }
  }
  return right;
}

TEST(WhatIf, PlantedDelaysShowInOneStream) { EXPECT_GE(right_delays(false, false), 199); }

TEST(WhatIf, PlantedDelaysShowInTwoStreams) { EXPECT_GE(right_delays(true, true), 190); }

/// Without the calls an event that was never waited for is not in the graph, and a delay may make
/// it count.
TEST(WhatIf, PlantedDelaysShowLessWithoutCallsOfEvents) {
  const int right = right_delays(true, false);
  EXPECT_GE(right, 160);
  EXPECT_LT(right, 190);
}

TEST(WhatIf, DroppedKernelsTakeTheirLaunchesAlong) {
  const auto step = [](std::int64_t kernel_ns, std::int64_t way_ns) {
    return [=](MadeProgram& program, Changeable& how) {
      for (int i = 0; i < 20; ++i) {
        const bool is_droppable = i % 2 == 1;
        if (is_droppable && how.is_changed) continue;
        program.way(way_ns);
        const std::uint32_t work = program.launch(kernel_ns);
        if (is_droppable) how.touched.push_back(work);
      }
    };
  };
  const auto drop = [](Places works) { return Drop{std::move(works)}; };
  const Answer on_gpu = ask(step(40'000, 1'000), drop);
  EXPECT_NEAR(on_gpu.gained_ns, 10 * 41'000, 1);
  expect_near(on_gpu, 0.03);
  const Answer on_host = ask(step(2'000, 10'000), drop);
  EXPECT_NEAR(on_host.gained_ns, 10 * 14'000, 1);
  expect_near(on_host, 0.03);
}

TEST(WhatIf, APauseOfTheHostIsNamedAndGains) {
  const Answer answer = ask(
      [](MadeProgram& program, Changeable& how) {
        for (int i = 0; i < 20; ++i) {
          const bool is_pause = i == 5;
          program.way(is_pause && !how.is_changed ? 2'000'000 : 10'000);
          const std::uint32_t work = program.launch(2'000);
          if (is_pause) how.touched.push_back(work);  // As many calls as works.
        }
      },
      [](Places calls) { return NoIdle{std::move(calls)}; });
  EXPECT_NEAR(answer.gained_ns, 1'990'000, 1);
  expect_near(answer);
}

TEST(WhatIf, OneStepIsNotShorterThanItsHost) {
  // The only step finds a queue that is filled, but its host is almost as slow as its GPU.
  MadeProgram program;
  Changeable as_is;
  program.launch(500'000);
  program.begin_step();
  for (int i = 0; i < 20; ++i) {
    program.way(30'000);
    as_is.touched.push_back(program.launch(39'000));
  }
  program.begin_step();
  program.launch(1'000);
  RecordedRun run = program.finish();
  run.steps.front().is_steady = true;
  const StepGraph graph = build_graph(run);
  Gains gains(graph, 0);
  const Change change = half(as_is.touched);
  const std::optional<Gain> gain = gains.of(std::span(&change, 1));
  ASSERT_TRUE(gain);
  EXPECT_NEAR(gain->typical_ns, 20 * 40'000 - 19 * 34'000 - 4'000, 100);
}

TEST(WhatIf, WithoutLaunchesThereIsNoNumber) {
  Changeable as_is;
  RecordedRun run = run_of(with_two_streams(300'000, 20'000), as_is);
  for (RunWork& work : run.works) work.call.reset();
  run.calls.clear();
  const StepGraph graph = build_graph(run);
  Gains gains(graph, 0);
  const Change change = half(as_is.touched);
  EXPECT_FALSE(gains.of(std::span(&change, 1)));
  EXPECT_FALSE(gains.why_not().empty());
}

TEST(WhatIf, ThePathAddsUpToTheStep) {
  Changeable as_is;
  const StepGraph graph = build_graph(run_of(with_two_streams(300'000, 20'000), as_is));
  const Times times = replay(graph);
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    std::int64_t sum = 0, on_stream = 0;
    walk_path(graph, times, graph.steps[i], [&](const PathPiece& piece) {
      sum += piece.end_ns - piece.begin_ns;
      if (piece.kind == PathKind::kStream) on_stream += piece.end_ns - piece.begin_ns;
    });
    EXPECT_EQ(sum, times.periods_ns[i]);
    EXPECT_GT(on_stream, 0);
  }
}

TEST(WhatIf, StepsArePredictedFromOthers) {
  Changeable as_is;
  const StepGraph graph = build_graph(run_of(with_two_streams(300'000, 20'000), as_is));
  const std::optional<HeldOut> check = held_out(graph, 0);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->steps, 5U);
  EXPECT_NEAR(check->step_error, 0, 0.001);
  EXPECT_EQ(unexplained_part(graph, replay(graph), 0), 0);
}

TEST(WhatIf, LateLaunchesOfTheWarmUpAreNoLag) {
  Changeable as_is;
  RecordedRun run = run_of(kLaunchBound, as_is);
  for (RunStep& step : run.steps) step.is_steady = step.number >= 8;
  const std::int64_t begin = run.steps[8].begin_ns;
  for (RunCall& call : run.calls) {
    // The driver's call is shorter than what it starts.
    if (call.start_ns < begin - 100'000) call.end_ns = call.start_ns + 100;
  }
  const StepGraph graph = build_graph(run);
  EXPECT_EQ(graph.lags[static_cast<std::size_t>(EdgeClass::kLaunch)], MadeProgram::kLatencyNs);
}

TEST(WhatIf, FewSamplesAreNoLag) {
  Changeable as_is;
  RecordedRun run = run_of(
      [](MadeProgram& program, Changeable& how) {
        how.touched.push_back(program.launch(5'000));
        program.wait();
        program.way(20'000);
      },
      as_is);
  for (RunStep& step : run.steps) step.is_steady = step.number >= 9;
  const Lags lags = build_graph(run).lags;
  EXPECT_NE(lags[static_cast<std::size_t>(EdgeClass::kReturn)], MadeProgram::kReturnNs);
}

TEST(WhatIf, WorksWithoutALaunchBelongToNoCall) {
  Changeable as_is;
  RecordedRun run = run_of(kLaunchBound, as_is);
  const std::uint32_t orphan = as_is.touched[105];
  run.works[orphan].call.reset();
  const StepGraph graph = build_graph(run);
  const NodeId node = graph.node_of_work[orphan];
  EXPECT_EQ(graph.launch_of(node), kNoNode);
  for (const NodeId call : graph.launch_of_work) {
    EXPECT_TRUE(call == kNoNode || graph.nodes[call].kind == NodeKind::kLaunch);
  }
  const Change drop = Drop{{orphan}};
  const Overlay changed = apply(graph, std::span(&drop, 1));
  for (NodeId id = 0; id < graph.size(); ++id) {
    EXPECT_TRUE(id == node || changed.durations_ns[id] == graph.nodes[id].duration_ns);
  }
}

TEST(WhatIf, OneSteadyStepThatIsTheFirst) {
  Changeable as_is;
  RecordedRun run = run_of(kLaunchBound, as_is);
  for (RunStep& step : run.steps) step.is_steady = step.number == 0;
  const StepGraph graph = build_graph(run);
  Gains gains(graph, 0);
  const Change change = half(as_is.touched);
  EXPECT_TRUE(gains.of(std::span(&change, 1)));
  EXPECT_FALSE(gains.begins_empty());
  EXPECT_FALSE(held_out(graph, 0));
}

TEST(WhatIf, AWaitForAllIsForWhatCameSinceTheLastOne) {
  MadeProgram program;
  constexpr std::uint16_t kStreams = 200;
  for (int step = 0; step < 4; ++step) {
    program.begin_step();
    for (std::uint16_t stream = 0; stream < kStreams; ++stream) {
      program.launch(1'000, stream);
      program.wait(stream);
    }
  }
  RecordedRun run = program.finish();
  for (RunCall& call : run.calls) {
    if (call.kind == CallKind::kWaitStream) call.kind = CallKind::kWaitAll;
    call.stream.reset();
  }
  const StepGraph graph = build_graph(run);
  EXPECT_EQ(std::ranges::count(graph.edge_class, EdgeClass::kReturn), 4 * kStreams);
  EXPECT_EQ(std::ranges::count(graph.edge_class, EdgeClass::kEvent), 0);
}

TEST(WhatIf, ACallThatEndsBeforeItBeginsTakesNoTime) {
  Changeable as_is;
  RecordedRun run = run_of(kLaunchBound, as_is);
  for (RunWork& work : run.works) work.call.reset();
  for (std::size_t i = 0; i < run.calls.size(); i += 3) {
    run.calls[i].kind = CallKind::kWaitEvent;
    run.calls[i].end_ns = run.calls[i].start_ns - 1'000'000;
  }
  const StepGraph graph = build_graph(run);
  for (const Node& node : graph.nodes) EXPECT_GE(node.duration_ns, 0);
}

TEST(WhatIf, WhatCallsDo) {
  EXPECT_EQ(kind_of_call("cudaGraphLaunch_v10000"), CallKind::kGraphLaunch);
  EXPECT_EQ(kind_of_call("cuLaunchKernelEx"), CallKind::kLaunch);
  EXPECT_EQ(kind_of_call("cudaStreamSynchronize_v3020"), CallKind::kWaitStream);
  EXPECT_EQ(kind_of_call("cudaEventSynchronize"), CallKind::kWaitEvent);
  EXPECT_EQ(kind_of_call("cudaDeviceSynchronize"), CallKind::kWaitAll);
  EXPECT_EQ(kind_of_call("cudaMemsetAsync"), CallKind::kCopy);
  EXPECT_EQ(kind_of_call("cuMemcpyHtoD_v2"), CallKind::kCopyInCall);
  EXPECT_EQ(kind_of_call("cudaFree"), CallKind::kAllocate);
  EXPECT_EQ(kind_of_call("cudaGraphAddMemcpyNode"), CallKind::kOther);
}

}  // namespace
}  // namespace prof::whatif
