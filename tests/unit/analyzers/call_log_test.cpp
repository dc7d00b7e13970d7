// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that are kept packed are those that were added, in order of time.
#include "analyzers/timeline/call_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "analyzers/timeline/idle_causes.hpp"

namespace prof {
namespace {

using Call = CallLog::Call;

/// Calls that follow each other, some of them at once.
std::vector<Call> some_calls(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Call> calls;
  std::int64_t now = -5'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    now += random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 100'000);
    const std::int64_t end = now + static_cast<std::int64_t>(random() % 20'000);
    calls.push_back({now, end, static_cast<IdleCause>(random() % 10)});
    now = end;
  }
  return calls;
}

CallLog log_of(const std::vector<Call>& calls) {
  CallLog log;
  for (const Call& call : calls) log.add(call);
  log.finish();
  return log;
}

void expect_equal(const CallLog& log, const std::vector<Call>& calls) {
  ASSERT_EQ(log.size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ASSERT_EQ(log[i].begin_ns, calls[i].begin_ns) << i;
    ASSERT_EQ(log[i].end_ns, calls[i].end_ns) << i;
    ASSERT_EQ(log[i].cause, calls[i].cause) << i;
  }
}

TEST(CallLog, HasTheCallsThatWereAdded) {
  for (const std::size_t count : {0U, 1U, 255U, 256U, 257U, 3'000U}) {
    const std::vector<Call> calls = some_calls(count);
    expect_equal(log_of(calls), calls);
  }
}

TEST(CallLog, FindsCallsByTheirEnds) {
  const std::vector<Call> calls = some_calls(1'000);
  const CallLog log = log_of(calls);
  std::vector<std::int64_t> times = {INT64_MIN, -5'000'000, 0, INT64_MAX};
  for (const Call& call : calls) {
    for (const std::int64_t by : {-1, 0, 1}) times.push_back(call.end_ns + by);
  }
  for (const std::int64_t time : times) {
    const auto from = std::ranges::lower_bound(calls, time, {}, &Call::end_ns);
    const auto after = std::ranges::upper_bound(calls, time, {}, &Call::end_ns);
    ASSERT_EQ(log.first_ending_from(time), from - calls.begin()) << time;
    ASSERT_EQ(log.first_ending_after(time), after - calls.begin()) << time;
  }
}

TEST(CallLog, OrdersWhatComesOutOfOrder) {
  std::vector<Call> calls = some_calls(1'000);
  std::ranges::shuffle(calls, std::mt19937(3));
  const CallLog log = log_of(calls);
  std::ranges::stable_sort(calls, {}, &Call::begin_ns);
  expect_equal(log, calls);
}

TEST(CallLog, KeepsTimesAsLargeAsNumbersGet) {
  const std::vector<Call> calls = {{INT64_MIN, INT64_MAX, IdleCause::kCopy},
                                   {-1, INT64_MIN, IdleCause::kLoad},
                                   {INT64_MAX, INT64_MAX, IdleCause::kGraph}};
  expect_equal(log_of(calls), calls);
}

TEST(CallLog, TakesMoreCallsAfterItWasRead) {
  std::vector<Call> calls = some_calls(300);
  CallLog log = log_of(calls);
  expect_equal(log, calls);
  calls.push_back({calls.back().end_ns + 5, calls.back().end_ns + 9, IdleCause::kCopy});
  log.add(calls.back());
  log.finish();
  expect_equal(log, calls);
}

}  // namespace
}  // namespace prof
