// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/add/trace_queue.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <vector>

namespace prof::fleet {
namespace {

ReadTrace named(const std::string& path) {
  return {.path = path, .subject = {}, .rows = {}, .error = {}};
}

std::vector<std::string> paths(std::size_t count) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(std::to_string(i));
  return made;
}

TEST(FleetTraceQueue, EachTraceIsTakenOnce) {
  for (const unsigned threads : {0U, 1U, 4U}) {
    const std::vector<std::string> all = paths(100);
    TraceQueue queue(all, threads, named);
    std::vector<std::string> taken;
    while (const auto trace = queue.next()) taken.push_back(trace->path);
    EXPECT_THAT(taken, testing::UnorderedElementsAreArray(all));
    EXPECT_FALSE(queue.next());
  }
  TraceQueue nothing({}, 2, named);
  EXPECT_FALSE(nothing.next());
}

TEST(FleetTraceQueue, ReadersWaitForWhoTakes) {
  const std::vector<std::string> all = paths(100);
  std::atomic<int> read = 0;
  {
    TraceQueue queue(all, 2, [&](const std::string& path) {
      ++read;
      return named(path);
    });
    ASSERT_TRUE(queue.next());
  }
  // One that is taken, four that wait, and one that each thread has read.
  EXPECT_LE(read, 7);
}

}  // namespace
}  // namespace prof::fleet
