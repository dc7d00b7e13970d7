// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/engine.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace prof::fleet {

Status with_attempts(const Engine& engine, const std::function<Status()>& attempt) {
  constexpr int kAttempts = 5;
  std::chrono::milliseconds pause(250);
  for (int i = 1;; ++i, pause *= 2) {
    Status status = attempt();
    if (status || !engine.was_lost() || i == kAttempts) return status;
    std::this_thread::sleep_for(pause);
  }
}

std::string one_line(std::string_view message) {
  // "Code: 60. DB::Exception: Table x does not exist. (UNKNOWN_TABLE) (version 26.5)", after that,
  // in old versions, a stack.
  for (const std::string_view mark :
       {"e.displayText() = ", "DB::Exception: ", "DB::NetException: "}) {
    const std::size_t at = message.find(mark);
    if (at < message.size()) message.remove_prefix(at + mark.size());
  }
  for (const std::string_view end : {", e.what() = ", ", Stack trace:", " (version "}) {
    message = message.substr(0, message.find(end));
  }
  std::string line(message.substr(0, message.find_last_not_of(" \r\n\t") + 1));
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

}  // namespace prof::fleet
