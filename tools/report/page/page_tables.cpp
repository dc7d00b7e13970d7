// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page/page_tables.hpp"

#include <array>

namespace prof::reports {
namespace {

using When = PageTable::When;

// Values that differ from kernel to kernel take most of a page: real numbers are left to the
// groups.
constexpr std::string_view kWorkColumns =
    "idx,kind,dir,part,layer,op,op_id,params,dtype,kernel,kernel_full,time_ns,start_ns,device,"
    "stream,thread,step,launch,launch_ns,origin,role,flops,bytes,bound,grid,block,registers,"
    "shared,memory,memory_to";
constexpr std::string_view kGroupColumns =
    "layer,op,dir,params,dtype,bound,latency_by,kernels,time_ns,step_ns,roofline_pct,headroom_ns,"
    "share_pct,unknown,intensity,tflop_per_s,peak_tflop_per_s,gb_per_s,peak_gb_per_s,sm_clock_mhz";
constexpr std::string_view kGapColumns =
    "section,device,cause,op,step_ns,time_pct,gaps,idle_ns,idle_pct,mean_ns,max_ns,max_step";

/// With the GPU, which other forms have by its rank and number.
constexpr std::string_view kDiffColumns =
    "gpu,change,layer,op,dir,params,base_ns,new_ns,diff_ns,diff_pct,beyond_pct,p,detail,nth,"
    "base_layer,base_kernels,new_kernels,rank,device,why,verdict,low_pct,high_pct,unlike,sentence";

constexpr PageTable of_all_ranks(std::string_view report) {
  return {.name = report, .report = report, .when = When::kSeveralTraces, .compares_ranks = true};
}

constexpr std::array kTables = {
    PageTable{.name = "summary", .report = "summary", .part = PagePart::kHead, .cost = 25},
    PageTable{.name = "advice", .report = "advice", .part = PagePart::kHead},
    PageTable{.name = "steps", .report = "steps", .part = PagePart::kHead},
    PageTable{.name = "gaps", .report = "gaps", .part = PagePart::kHead, .columns = kGapColumns},
    PageTable{.name = "losses", .report = "losses", .part = PagePart::kHead},
    PageTable{.name = "diff",
              .report = "diff",
              .part = PagePart::kHead,
              .columns = kDiffColumns,
              .when = When::kComparison},
    PageTable{.name = "groups", .report = "headroom", .columns = kGroupColumns},
    PageTable{.name = "utilization", .report = "utilization"},
    PageTable{.name = "gemms", .report = "gemms"},
    PageTable{.name = "launch", .report = "launch"},
    PageTable{.name = "memory", .report = "memory"},
    PageTable{.name = "torch_memory", .report = "torch_memory"},
    PageTable{.name = "comm", .report = "comm"},
    PageTable{.name = "clocks", .report = "clocks"},
    PageTable{.name = "device", .report = "device"},
    of_all_ranks("ranks"),
    of_all_ranks("collectives"),
    of_all_ranks("stragglers"),
    of_all_ranks("imbalance"),
    of_all_ranks("pipeline"),
    PageTable{.name = "ranges",
              .report = "ranges_in_time",
              .part = PagePart::kTimeline,
              .most_rows = 300'000,
              .cost = 22},
    PageTable{.name = "idle",
              .report = "idle",
              .part = PagePart::kTimeline,
              .most_rows = 300'000,
              .cost = 5},
    PageTable{.name = "links",
              .report = "links",
              .part = PagePart::kTimeline,
              .when = When::kSeveralTraces,
              .most_rows = 300'000},
    PageTable{.name = "work",
              .report = "gpu",
              .part = PagePart::kTimeline,
              .columns = kWorkColumns,
              .most_rows = 1'500'000,
              .cost = 25},
};

}  // namespace

std::span<const PageTable> page_tables() { return kTables; }

}  // namespace prof::reports
