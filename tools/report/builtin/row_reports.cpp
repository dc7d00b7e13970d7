// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The reports about the rows of one kind. Each is an entry here and a word in CMakeLists.txt, which
// has the order of all reports.
#include <algorithm>

#include "libprof/base/check.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

constexpr RowReport kRowReports[] = {
    {.name = "kernels",
     .help = "every GPU kernel in launch order",
     .kind = kKernels,
     .form = RowForm::kList,
     .table = "idx,dir,layer,op,params,kernel,time_ns",
     .has_step_lines = true},
    {.name = "gpu",
     .help = "every GPU kernel, memory copy and memory set in launch order",
     .kind = kGpuWork,
     .form = RowForm::kList,
     .table = "idx,dir,layer,op,params,kernel,bytes,time_ns"},
    {.name = "layers",
     .help = "kernels, time, FLOPs and bytes of each layer and direction, longest first",
     .kind = kKernels,
     .form = RowForm::kRollup,
     .table = "layer,dir,kernels,time_ns,time_pct,gflop,mb,tflop_per_s,gb_per_s,peak_pct,"
              "roofline_pct"},
    // -c op,dir,part,params,... adds the shapes.
    {.name = "ops",
     .help = "calls, kernels, time, FLOPs and bytes of each op and direction, longest first",
     .kind = kKernels,
     .form = RowForm::kRollup,
     .table = "op,dir,calls,kernels,time_ns,time_pct,gflop,mb,tflop_per_s,gb_per_s,roofline_pct"},
    {.name = "api",
     .help = "calls and time of each CUDA function, longest first; one inside another counts in "
             "both lines",
     .kind = kApiCalls,
     .form = RowForm::kRollup,
     .table = "api,function,count,time_ns,time_pct,mean_ns,min_ns,max_ns"},
    {.name = "calls",
     .help = "every CUDA call in call order",
     .kind = kApiCalls,
     .form = RowForm::kList,
     .table = "idx,function,thread,depth,status,range,start_ns,time_ns"},
    {.name = "ranges",
     .help = "openings and time of each NVTX range, longest first; a nested range counts in both",
     .kind = kRanges,
     .form = RowForm::kRollup,
     .table = "text,domain,count,time_ns,mean_ns,min_ns,max_ns"},
    {.name = "marks",
     .help = "every NVTX mark and sample of a counter in order of arrival",
     .kind = kMarks,
     .form = RowForm::kList,
     .table = "idx,text,domain,thread,range,payload,start_ns"},
    {.name = "sync",
     .help = "waits and their time by what was waited for, longest first",
     .kind = kSynchronizations,
     .form = RowForm::kRollup,
     .table = "type,function,count,time_ns,time_pct,mean_ns,min_ns,max_ns"},
    {.name = "overhead",
     .help = "time spent in CUDA and CUPTI themselves, by kind, longest first",
     .kind = kOverheads,
     .form = RowForm::kRollup,
     .table = "kind,count,time_ns,time_pct,mean_ns,min_ns,max_ns"},
    {.name = "device",
     .help = "clocks, power and temperature of the GPUs over time",
     .kind = kDeviceSamples,
     .form = RowForm::kList,
     .table = "idx,device,start_ns,sm_clock_mhz,memory_clock_mhz,power_w,temperature_c,throttle,"
              "memory_used_bytes"},
    {.name = "os_calls",
     .help = "every recorded call of the operating system, in order of arrival",
     .kind = kOsCalls,
     .form = RowForm::kList,
     .table = "idx,function,thread,thread_name,range,start_ns,time_ns"},
    {.name = "captures",
     .help = "the captured parts of the run, with the GPU work of each",
     .kind = kCapturedParts,
     .form = RowForm::kList,
     .table = "capture,start_ns,time_ns,kernels,copies,gpu_ns,opener,closer"},
};

}  // namespace

void register_entry_of_row_reports(std::string_view name, Registry& registry) {
  const auto found = std::ranges::find(kRowReports, name, &RowReport::name);
  PROF_CHECK(found != std::end(kRowReports));
  registry.add(make_report(*found));
}

}  // namespace prof::reports
