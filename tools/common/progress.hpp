// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Progress: one line on a terminal about work that takes long, rewritten in place:
//
//     prof-report: 1,204,224 rows, 35 %, 602,112 rows/s, about 4 s left
//
// The line appears after a second. It must be off the screen before anything else is printed
// there: clear() removes it, finish() for good. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace prof::tools {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The outside world; tests have their own.
  struct Terminal {
    std::function<void(std::string_view)> write;
    std::function<Time()> now = std::chrono::steady_clock::now;
    std::size_t width = 80;
  };
  /// The counted items: "1,204,224 rows", or with a unit of 10^6 bytes "413 MB".
  struct Counted {
    std::string_view noun;
    std::uint64_t unit = 1;
  };

  Progress(std::string program, Counted counted, Terminal terminal);
  /// On stderr; absent if that is not a terminal.
  static std::optional<Progress> on_stderr(std::string program, Counted counted);

  /// How much is done, and which part of the work that is, if this is known. Call it often, but not
  /// for every row: it reads the clock.
  void update(std::uint64_t done, std::optional<double> part);
  /// Shows `what` and the elapsed time, for work that cannot be counted. Called like update().
  void working(std::string_view what);
  /// The rest cannot be measured: `what` is shown instead.
  void ends_with(std::string_view what);
  void clear();
  void finish();

 private:
  [[nodiscard]] std::string line(std::uint64_t done, std::optional<double> part,
                                 double seconds) const;
  /// Whether it is time for another line, and the seconds so far.
  std::optional<double> due();
  void show(std::string line);

  std::string program_;
  Counted counted_;
  Terminal terminal_;
  Time begin_, next_;
  std::size_t shown_width_ = 0;
  bool finished_ = false;
};

}  // namespace prof::tools
