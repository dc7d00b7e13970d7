// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/outside_work.hpp"

#include <fmt/format.h>

#include "libprof/base/count_text.hpp"

namespace prof::reports {

void add_remark(const OutsideSum& sum, std::uint32_t device, bool is_one_of_several,
                std::vector<std::string>& remarks) {
  if (sum.steps == 0) return;
  const bool is_one = sum.steps == 1;
  remarks.push_back(
      fmt::format("{}{} {} {:.3f} ms of GPU work in no step behind {}, which {}: not steady",
                  is_one_of_several ? fmt::format("GPU {}: ", device) : "",
                  count_text(sum.steps, "step", "steps"), is_one ? "has" : "have",
                  static_cast<double>(sum.time_ns) / 1e6, is_one ? "it" : "them",
                  is_one ? "its period spans" : "their periods span"));
}

}  // namespace prof::reports
