// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Number ranges of steps that were seen, "1-3,7", in bounded memory: steps mostly follow each
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace prof::reports {

class StepSet {
 public:
  void add(std::int64_t step);
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// "1-3,7"; ends in ",..." where there are too many gaps to remember.
  [[nodiscard]] std::string to_text() const;

 private:
  static constexpr std::size_t kMaxRanges = 64;

  std::map<std::int64_t, std::int64_t> ranges_;       // First step of a range -> its last.
  std::int64_t latest_first_ = 0, latest_last_ = -1;  // The range that the last step fell into.
  bool overflow_ = false;
};

}  // namespace prof::reports
