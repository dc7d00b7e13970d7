// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compat/nsys_names.hpp"

#include <array>

namespace prof::reports {

std::span<const ReportList> report_lists() {
  // The reports that `nsys stats` prints by itself, in its order.
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

}  // namespace prof::reports
