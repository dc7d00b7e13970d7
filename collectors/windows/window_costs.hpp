// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WindowCosts: the cost of windows for the program, measured where they open and close and from the
// begins of steps. Pure. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace prof::collectors {

class WindowCosts {
 public:
  void begin(std::int64_t now_ns) { begin_ns_ = now_ns; }
  /// A window has opened or closed; `took_ns`: time that the program's thread waited for it.
  void opened(std::int64_t now_ns, std::int64_t took_ns);
  void closed(std::int64_t now_ns, std::int64_t took_ns);
  /// A step begins. A step that overlaps a window counts as one in a window.
  void step(std::int64_t number, std::int64_t now_ns);

  /// "in windows for 30.0 s of 600.0 s (5.0 %), ..."; empty: there was no window.
  [[nodiscard]] std::string text(std::int64_t now_ns) const;

 private:
  struct Steps {
    std::int64_t ns = 0, count = 0;
    [[nodiscard]] double mean_ms() const {
      return static_cast<double>(ns) / static_cast<double>(count) / 1e6;
    }
  };

  std::int64_t begin_ns_ = 0, captured_ns_ = 0, changing_ns_ = 0, windows_ = 0;
  std::optional<std::int64_t> opened_ns_;
  std::optional<std::int64_t> step_, step_ns_;
  bool is_step_captured_ = false;
  Steps inside_, outside_;
};

}  // namespace prof::collectors
