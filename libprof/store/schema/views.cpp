// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The views of trace.db, for users who query it with SQL. No program of this project reads them.
#include <array>

#include "libprof/store/schema/schema.hpp"

namespace prof::schema {
namespace {

constexpr std::string_view kKernels = R"sql(
  SELECT k.correlation, kernel_name.text AS name,
         c.grid_x || ',' || c.grid_y || ',' || c.grid_z AS grid,
         c.block_x || ',' || c.block_y || ',' || c.block_z AS block,
         k.start_ns, k.duration_ns, q.device, q.context, q.stream, o.graph_node,
         t.os_tid AS thread, function_name.text AS api, replace(range_text.text, char(1), '#') AS range,
         a.range_id, a.start_ns AS launch_start_ns, a.duration_ns AS launch_duration_ns
  FROM kernel k
  LEFT JOIN launch_config c ON c.id = k.config_id
  LEFT JOIN string kernel_name ON kernel_name.id = c.name_id
  LEFT JOIN queue q ON q.id = k.queue_id
  LEFT JOIN work_origin o ON o.id = k.origin_id
  LEFT JOIN api_call a ON a.correlation = k.correlation AND a.depth = 0 AND a.repeat = 0
                      AND k.correlation <> 0
  LEFT JOIN api_function f ON f.id = a.function_id
  LEFT JOIN string function_name ON function_name.id = f.name_id
  LEFT JOIN thread t ON t.id = a.thread_id
  LEFT JOIN range r ON r.id = a.range_id
  LEFT JOIN string range_text ON range_text.id = r.text_id
  ORDER BY k.correlation, k.origin_id, k.repeat)sql";

constexpr std::string_view kCopies = R"sql(
  SELECT w.*, q.device, q.context, q.stream, t.os_tid AS thread, function_name.text AS api,
         replace(range_text.text, char(1), '#') AS range, a.range_id
  FROM (SELECT 'memcpy' AS work, correlation, queue_id, bytes, start_ns, duration_ns, copy_kind,
               source, destination FROM memcpy
        UNION ALL
        SELECT 'memset', correlation, queue_id, bytes, start_ns, duration_ns, NULL, NULL, memory
        FROM memset) w
  LEFT JOIN queue q ON q.id = w.queue_id
  LEFT JOIN api_call a ON a.correlation = w.correlation AND a.depth = 0 AND a.repeat = 0
                      AND w.correlation <> 0
  LEFT JOIN api_function f ON f.id = a.function_id
  LEFT JOIN string function_name ON function_name.id = f.name_id
  LEFT JOIN thread t ON t.id = a.thread_id
  LEFT JOIN range r ON r.id = a.range_id
  LEFT JOIN string range_text ON range_text.id = r.text_id)sql";

constexpr std::string_view kRanges = R"sql(
  SELECT r.id, r.parent_id, replace(range_text.text, char(1), '#') AS text,
         domain_name.text AS domain, t.os_tid AS thread, r.kind, r.start_ns, r.duration_ns
  FROM range r
  LEFT JOIN string range_text ON range_text.id = r.text_id
  LEFT JOIN thread t ON t.id = r.thread_id
  LEFT JOIN domain d ON d.id = r.domain_id
  LEFT JOIN string domain_name ON domain_name.id = d.name_id)sql";

constexpr std::string_view kApiCalls = R"sql(
  SELECT a.correlation, a.depth, function_name.text AS name, t.os_tid AS thread, a.start_ns,
         a.duration_ns, a.status, a.range_id, replace(range_text.text, char(1), '#') AS range
  FROM api_call a
  LEFT JOIN api_function f ON f.id = a.function_id
  LEFT JOIN string function_name ON function_name.id = f.name_id
  LEFT JOIN thread t ON t.id = a.thread_id
  LEFT JOIN range r ON r.id = a.range_id
  LEFT JOIN string range_text ON range_text.id = r.text_id)sql";

constexpr std::array kViews = {
    View{"kernels",
         "Kernels in launch order, with their launch. In `range`, `#` stands for a number of the "
         "range's text; the numbers are in range.numbers.",
         kKernels},
    View{"copies", "Memory copies and sets with their calls.", kCopies},
    View{"ranges", "NVTX ranges with their texts; `#` as in kernels.", kRanges},
    View{"api_calls", "CUDA calls with their names.", kApiCalls},
};

}  // namespace

std::span<const View> views() { return kViews; }

}  // namespace prof::schema
