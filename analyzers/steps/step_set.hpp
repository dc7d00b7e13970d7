// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps seen, as number ranges such as "1-3,7", in bounded memory: steps are mostly
// consecutive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace prof {

class StepSet {
 public:
  void add(std::int64_t step) { add(step, step); }
  void merge(const StepSet& other);
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  /// The step was not added. False if it may be among those that were not remembered.
  [[nodiscard]] bool lacks(std::int64_t step) const;
  /// A step from `first` to `last` was added; true if it may be among those not remembered.
  [[nodiscard]] bool holds_any(std::int64_t first, std::int64_t last) const;
  /// "step 7", "steps 1-3,7".
  [[nodiscard]] std::string to_words() const;
  /// "1-3,7"; ends in ",..." if there are too many gaps to remember.
  [[nodiscard]] std::string to_text() const;

 private:
  static constexpr std::size_t kMaxRanges = 64;

  void add(std::int64_t first, std::int64_t last);

  std::map<std::int64_t, std::int64_t> ranges_;       // First step of a range -> its last.
  std::int64_t latest_first_ = 0, latest_last_ = -1;  // The range that the last step fell into.
  bool overflow_ = false;
};

}  // namespace prof
