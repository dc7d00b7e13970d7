// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/read_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace prof::reports {
namespace {

/// A log that is none: only whose it is counts.
std::shared_ptr<const WorkLog> log_of(const std::string& path) {
  const auto owner = std::make_shared<const std::string>(path);
  return {owner, reinterpret_cast<const WorkLog*>(owner.get())};
}
std::string path_of(const std::shared_ptr<const WorkLog>& log) {
  return *reinterpret_cast<const std::string*>(log.get());
}

std::vector<std::string> paths(std::size_t count) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back("trace " + std::to_string(i));
  return made;
}

/// What is taken of traces that are asked for one after the other.
class InOrder {
 public:
  explicit InOrder(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  void take_all(ReadAhead& ahead) {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      const auto behind = std::span<const std::string>(paths_).subspan(i + 1);
      const std::optional<ReadAhead::Done> done = ahead.take(paths_[i], behind);
      if (!done) {
        ++missed;
      } else if (done->log != nullptr) {
        EXPECT_EQ(path_of(done->log), paths_[i]);
        ++taken;
      }
    }
  }

  std::size_t taken = 0, missed = 0;

 private:
  std::vector<std::string> paths_;
};

TEST(ReadAhead, EachTraceIsReadOnceByAThreadOrLeftToTheCaller) {
  std::atomic<std::size_t> read = 0;
  ReadAhead ahead(3, [&](const std::string& path, const std::stop_token&) {
    ++read;
    return ReadAhead::Done{.log = log_of(path), .timeline = nullptr};
  });
  InOrder in_order(paths(200));
  in_order.take_all(ahead);
  EXPECT_EQ(in_order.taken + in_order.missed, 200U);
  EXPECT_EQ(in_order.taken, read);
}

TEST(ReadAhead, NoMoreAreReadThanTwiceTheThreads) {
  std::atomic<int> open = 0, most = 0;
  std::vector<std::string> all = paths(50);
  ReadAhead ahead(2, [&](const std::string& path, const std::stop_token&) {
    most = std::max(most.load(), ++open);
    return ReadAhead::Done{.log = log_of(path), .timeline = nullptr};
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ahead.take(all[i], std::span<const std::string>(all).subspan(i + 1))) --open;
  }
  EXPECT_LE(most, 4 + 1) << "and one that is being handed over";
}

TEST(ReadAhead, ATraceThatCouldNotBeReadIsTheCallersToTry) {
  ReadAhead ahead(1, [](const std::string&, const std::stop_token&) { return ReadAhead::Done{}; });
  InOrder in_order(paths(20));
  in_order.take_all(ahead);
  EXPECT_EQ(in_order.taken, 0U);
}

TEST(ReadAhead, WhatNobodyWantsAnyMoreIsStopped) {
  std::atomic<bool> has_begun = false, was_stopped = false;
  {
    ReadAhead ahead(1, [&](const std::string&, const std::stop_token& stop) {
      has_begun = true;
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      was_stopped = true;
      return ReadAhead::Done{};
    });
    const std::vector<std::string> all = paths(2);
    EXPECT_FALSE(ahead.take(all[0], std::span<const std::string>(all).subspan(1)));
    while (!has_begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(was_stopped);
}

TEST(ReadAhead, TracesMayBeReadAgain) {
  ReadAhead ahead(2, [](const std::string& path, const std::stop_token&) {
    return ReadAhead::Done{.log = log_of(path), .timeline = nullptr};
  });
  InOrder in_order(paths(40));
  in_order.take_all(ahead);
  in_order.take_all(ahead);
  EXPECT_EQ(in_order.taken + in_order.missed, 80U);
}

}  // namespace
}  // namespace prof::reports
