// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up reports, see registry.hpp.
#include "tools/report/reports/registry.hpp"

#include <algorithm>
#include <array>

namespace prof::reports {

std::span<const ReportList> report_lists() {
  // What `nsys stats` prints by itself, in its order.
  static constexpr std::array<std::string_view, 6> kNsys = {"nvtx_sum",
                                                            "osrt_sum",
                                                            "cuda_api_sum",
                                                            "cuda_gpu_kern_sum",
                                                            "cuda_gpu_mem_time_sum",
                                                            "cuda_gpu_mem_size_sum"};
  static constexpr std::array<ReportList, 1> kLists = {{
      {"nsys", "the reports that nsys stats prints by itself", kNsys},
  }};
  return kLists;
}

const Report* Registry::find(std::string_view name) const {
  const auto found = std::find_if(reports_.begin(), reports_.end(), [name](const auto& report) {
    return report->info().name == name;
  });
  return found == reports_.end() ? nullptr : found->get();
}

}  // namespace prof::reports
