// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up reports, see registry.hpp.
#include "tools/report/query/registry.hpp"

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

std::span<const OldName> old_names() {
  static constexpr std::array<OldName, 18> kOld = {{
      {"nvtxsum", "nvtx_sum"},
      {"nvtxppsum", "nvtx_pushpop_sum"},
      {"nvtxsesum", "nvtx_startend_sum"},
      {"nvtxsssum", "nvtx_startend_sum"},
      {"nvtxpptrace", "nvtx_pushpop_trace"},
      {"nvtxkernsum", "nvtx_kern_sum"},
      {"nvtxgpuproj", "nvtx_gpu_proj_trace"},
      {"osrtsum", "osrt_sum"},
      {"cudaapisum", "cuda_api_sum"},
      {"cudaapitrace", "cuda_api_trace"},
      {"apigpusum", "cuda_api_gpu_sum"},
      {"gpukernsum", "cuda_gpu_kern_sum"},
      {"gpusum", "cuda_gpu_sum"},
      {"gputrace", "cuda_gpu_trace"},
      {"kernexecsum", "cuda_kern_exec_sum"},
      {"kernexectrace", "cuda_kern_exec_trace"},
      {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
      {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
  }};
  return kOld;
}

void Registry::add(std::unique_ptr<const Report> report) {
  if (groups_.empty()) begin_group("");
  groups_.back().reports.push_back(report.get());
  reports_.push_back(std::move(report));
}

const Report* Registry::find(std::string_view name) const {
  const auto old = std::ranges::find(old_names(), name, &OldName::old);
  if (old != old_names().end()) name = old->name;
  const auto found = std::find_if(reports_.begin(), reports_.end(), [name](const auto& report) {
    return report->info().name == name;
  });
  return found == reports_.end() ? nullptr : found->get();
}

}  // namespace prof::reports
