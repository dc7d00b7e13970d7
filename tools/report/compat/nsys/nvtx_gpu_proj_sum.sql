-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `nvtx_gpu_proj_sum` of Nsight Systems. The projection of a range begins with the first GPU
-- work that was launched inside and ends with the last; that of inner ranges is not subtracted.
-- Ranges that were never closed have no time and are left out.
--
-- title: NVTX GPU Projection Summary
-- help: time of the GPU work launched inside each NVTX range, from first to last, longest first
-- csv: headers
-- column: range | Range | | text 16 | DOMAIN:text, or :text in the default domain
-- column: style | Style | | text drop 7 | PushPop: on a thread's stack; StartEnd: process-wide
-- column: proj_ns | Total Proj Time (ns) | | count | total projected time
-- column: range_ns | Total Range Time (ns) | | count drop 6 | total time of the ranges themselves
-- column: instances | Range Instances | | count drop 1 | ranges that launched GPU work
-- column: avg_ns | Proj Avg (ns) | | real 1 drop 4 | mean projected time
-- column: med_ns | Proj Med (ns) | | real 1 drop 6 | median projected time
-- column: min_ns | Proj Min (ns) | | count drop 8 | shortest projected time
-- column: max_ns | Proj Max (ns) | | count drop 7 | longest projected time
-- column: stddev_ns | Proj StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: gpu_ops | Total GPU Ops | | count drop 2 | kernels, copies and sets
-- column: avg_gpu_ops | Avg GPU Ops | | real 1 drop 7 | mean number of these
-- column: avg_level | Avg Range Lvl | | real 1 drop 9 | mean level; absent for start/end ranges
-- column: avg_children | Avg Num Child | | real 1 drop 9 | mean number of children with GPU work
SELECT name AS range, CASE kind WHEN 'start_end' THEN 'StartEnd' ELSE 'PushPop' END AS style,
       sum(gpu_time_ns) AS proj_ns,
       sum(time_ns) AS range_ns,
       count(*) AS instances,
       avg(gpu_time_ns) AS avg_ns,
       median(gpu_time_ns) AS med_ns,
       min(gpu_time_ns) AS min_ns,
       max(gpu_time_ns) AS max_ns,
       ifnull(stddev_samp(gpu_time_ns), 0.0) AS stddev_ns,
       sum(gpu_ops) AS gpu_ops,
       avg(gpu_ops) AS avg_gpu_ops,
       avg(level) AS avg_level,
       avg(children) AS avg_children
FROM nvtx_projections
WHERE gpu_time_ns IS NOT NULL AND time_ns IS NOT NULL
GROUP BY name, kind
ORDER BY proj_ns DESC, range, style
