// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The process that stays behind when prof-run becomes the program, to report at its end that
// there is no trace, unless the collector does (docs/decisions/0004-harmless.md).
#pragma once

#include <string>
#include <string_view>

#include "libprof/control/expected_trace.hpp"

namespace prof {
class WatcherPage;
}

namespace prof::tools {

/// One that could be had, or none. One thread.
class Watcher {
 public:
  /// Starts it for this process, of which the program will know nothing: it is no child of it, in
  /// no group or session of it, and has none of its descriptors.
  Watcher(const ExpectedTrace& expected, std::string_view run_id);

  /// The value of PROF_WATCHER for the program; empty: there is none.
  [[nodiscard]] const std::string& where() const { return where_; }
  /// The program did not start: there is nothing to report.
  void dismiss();

 private:
  WatcherPage* page_ = nullptr;
  std::string where_;
};

}  // namespace prof::tools
