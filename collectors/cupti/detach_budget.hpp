// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DetachBudget: limits how often CUPTI is detached and attached again. Each time leaves about 75
// KiB behind in it (CUPTI 13.0, H200: 600 rounds of cuptiSubscribe() and cuptiFinalize() alone), so
// a program that runs for days with windows all the time would grow by gigabytes. One thread at a
// time.
#pragma once

#include <cstdint>

namespace prof::collectors {

class DetachBudget {
 public:
  static constexpr int kAtOnce = 256;  ///< About 19 MiB.
  static constexpr std::int64_t kThenEveryNs = 600'000'000'000;

  /// Whether CUPTI may be detached at that time. If so, the budget is charged.
  [[nodiscard]] bool take(std::int64_t now_ns) {
    if (left_ > 0) {
      --left_;
    } else if (now_ns - last_ns_ < kThenEveryNs) {
      return false;
    }
    last_ns_ = now_ns;
    return true;
  }

 private:
  int left_ = kAtOnce;
  std::int64_t last_ns_ = 0;
};

}  // namespace prof::collectors
