// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The summaries of Nsight Systems that have a line for each name, with the sum of its times and
// their statistics. Each is an entry here and a word in CMakeLists.txt; the others are SQL files.
// Rows without a time, such as a range that was never closed, are left out.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "libprof/base/check.hpp"
#include "tools/report/compat/registry.hpp"
#include "tools/report/query/sql_report.hpp"

namespace prof::reports {
namespace {

struct TimeSum {
  std::string_view name, title, help;
  std::string_view missing = {};
  std::string_view counted;   ///< The things that are summed up: "kernels".
  std::string_view all = {};  ///< The whole of which time_pct is a share; empty: the things listed.
  std::string_view count = "instances | Instances | | count drop 1";
  std::string_view own;     ///< Descriptions of its own columns.
  std::string_view select;  ///< The columns themselves.
  std::string_view from, where = "time_ns IS NOT NULL", group_by;
  std::string_view order;          ///< Order of lines that take as long.
  int drop_avg = 4, drop_med = 6;  ///< Column::drop_rank; higher where names need the room.
};

constexpr std::string_view kCalls = "calls | Num Calls | | count";
constexpr std::string_view kRange =
    "-- column: range | Range | | text 16 | DOMAIN:text, or :text in the default domain\n";
constexpr std::string_view kKernelName =
    "-- column: name | Name | | text 16 | full demangled name of the kernel\n";

constexpr TimeSum kTimeSumReports[] = {
    {.name = "nvtx_sum",
     .title = "NVTX Range Summary",
     .help = "openings and time of each NVTX range, longest first",
     .counted = "ranges",
     .own = "-- column: style | Style | | text drop 6 | PushPop: on a thread's stack; StartEnd: "
            "process-wide\n"
            "-- column: range | Range | | text 16 | DOMAIN:text, or :text in the default domain\n",
     .select = "CASE kind WHEN 'start_end' THEN 'StartEnd' ELSE 'PushPop' END AS style, "
               "name AS range",
     .from = "nvtx_ranges",
     .group_by = "name, kind",
     .order = "range, style"},
    {.name = "nvtx_pushpop_sum",
     .title = "NVTX Push/Pop Range Summary",
     .help = "openings and time of each push/pop range, longest first",
     .counted = "ranges",
     .own = kRange,
     .select = "name AS range",
     .from = "nvtx_ranges",
     .where = "time_ns IS NOT NULL AND kind = 'push_pop'",
     .group_by = "name",
     .order = "range"},
    {.name = "nvtx_startend_sum",
     .title = "NVTX Start/End Range Summary",
     .help = "openings and time of each start/end range, longest first",
     .counted = "ranges",
     .own = kRange,
     .select = "name AS range",
     .from = "nvtx_ranges",
     .where = "time_ns IS NOT NULL AND kind = 'start_end'",
     .group_by = "name",
     .order = "range"},
    {.name = "osrt_sum",
     .title = "OS Runtime Summary",
     .help = "calls of the operating system that may block, and their time by function, longest "
             "first",
     .missing = "no operating system calls to show; prof-run --trace osrt records them",
     .counted = "calls",
     .count = kCalls,
     .own = "-- column: name | Name | | text 16 | function of libc or of the threads library\n",
     .select = "function AS name",
     .from = "os_calls",
     .group_by = "function",
     .order = "name"},
    // Calls that another recorded call made are left out.
    {.name = "cuda_api_sum",
     .title = "CUDA API Summary",
     .help = "calls and time of each CUDA function that the program called, longest first",
     .counted = "calls",
     .count = kCalls,
     .own = "-- column: name | Name | | text 16 | CUDA function\n",
     .select = "function AS name",
     .from = "cuda_calls",
     .where = "depth = 0 AND time_ns IS NOT NULL",
     .group_by = "function",
     .order = "name"},
    {.name = "cuda_api_gpu_sum",
     .title = "CUDA Summary (API/Kernels/MemOps)",
     .help = "time of each CUDA function, kernel and kind of copy and set, longest first",
     .counted = "calls, kernels, copies and sets",
     .all = "lines",
     .own =
         "-- column: category | Category | | text drop 2 | CUDA_API, CUDA_KERNEL or MEMORY_OPER\n"
         "-- column: operation | Operation | | text 16 | CUDA function, kernel, copy or set\n",
     .select = "category, operation",
     .from =
         "(SELECT CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category,"
         " operation, time_ns FROM attributed_work"
         " UNION ALL SELECT 'CUDA_API', function, time_ns FROM cuda_calls WHERE depth = 0)",
     .group_by = "category, operation",
     .order = "category, operation"},
    {.name = "cuda_gpu_kern_sum",
     .title = "CUDA GPU Kernel Summary",
     .help = "GPU time of each kernel by full name, longest first",
     .counted = "kernels",
     .own = kKernelName,
     .select = "kernel_full AS name",
     .from = "attributed_kernels",
     .group_by = "kernel_full",
     .order = "name"},
    {.name = "cuda_gpu_kern_gb_sum",
     .title = "CUDA GPU Kernel/Grid/Block Summary",
     .help = "GPU time of each kernel by full name, grid and block, longest first",
     .counted = "kernels",
     .own = "-- column: grid | GridXYZ | | text 16 | blocks in x, y and z\n"
            "-- column: block | BlockXYZ | | text 16 | threads per block in x, y and z\n"
            "-- column: name | Name | | text 16 | full demangled name of the kernel\n",
     .select = "CASE WHEN work.grid IS NOT NULL"
               " THEN printf('%4d %4d %4d', grid ->> 0, grid ->> 1, grid ->> 2) END AS grid,"
               " CASE WHEN work.block IS NOT NULL"
               " THEN printf('%4d %4d %4d', block ->> 0, block ->> 1, block ->> 2) END AS block,"
               " kernel_full AS name",
     .from = "attributed_kernels AS work",
     .group_by = "kernel_full, work.grid, work.block",
     .order = "name, work.grid, work.block",
     .drop_avg = 6,
     .drop_med = 7},
    {.name = "cuda_gpu_sum",
     .title = "CUDA GPU Summary (Kernels/MemOps)",
     .help = "GPU time of each kernel and each kind of copy and set, longest first",
     .counted = "kernels, copies and sets",
     .all = "lines",
     .own = "-- column: category | Category | | text drop 2 | CUDA_KERNEL or MEMORY_OPER\n"
            "-- column: operation | Operation | | text 16 | kernel, copy or set\n",
     .select = "CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END AS category,"
               " operation",
     .from = "attributed_work",
     .group_by = "category, operation",
     .order = "category, operation"},
    {.name = "cuda_gpu_mem_time_sum",
     .title = "CUDA GPU MemOps Summary (by Time)",
     .help = "time of each kind of copy and set, longest first",
     .counted = "copies and sets",
     .count = "count | Count | | count drop 1",
     .own = "-- column: operation | Operation | | text 16 | kind of copy, or set\n",
     .select = "operation",
     .from = "attributed_work",
     .where = "kind <> 'kernel' AND time_ns IS NOT NULL",
     .group_by = "operation",
     .order = "operation"},
};

/// The form of docs/add.md, with what all of them have.
std::string sql_of(const TimeSum& of) {
  return fmt::format(
      R"sql(-- title: {title}
-- help: {help}
-- missing: {missing}
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all {all}
-- column: total_ns | Total Time (ns) | | count | total time of the {counted}
-- column: {count} | number of the {counted}
-- column: avg_ns | Avg (ns) | | real 1 drop {drop_avg} | mean time
-- column: med_ns | Med (ns) | | real 1 drop {drop_med} | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
{own}SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS {count_word},
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       {select}
FROM {from}
WHERE {where}
GROUP BY {group_by}
ORDER BY total_ns DESC, {order}
)sql",
      fmt::arg("title", of.title), fmt::arg("help", of.help), fmt::arg("missing", of.missing),
      fmt::arg("all", of.all.empty() ? fmt::format("{} listed", of.counted) : std::string(of.all)),
      fmt::arg("counted", of.counted), fmt::arg("count", of.count), fmt::arg("own", of.own),
      fmt::arg("drop_avg", of.drop_avg), fmt::arg("drop_med", of.drop_med),
      fmt::arg("count_word", of.count.substr(0, of.count.find(' '))), fmt::arg("select", of.select),
      fmt::arg("from", of.from), fmt::arg("where", of.where), fmt::arg("group_by", of.group_by),
      fmt::arg("order", of.order));
}

}  // namespace

void register_entry_of_time_sums(std::string_view name, Registry& registry) {
  const auto found = std::ranges::find(kTimeSumReports, name, &TimeSum::name);
  PROF_CHECK(found != std::end(kTimeSumReports));
  registry.add(std::make_unique<SqlReport>(name, sql_of(*found)));
}

}  // namespace prof::reports
