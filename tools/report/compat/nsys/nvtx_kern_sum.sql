-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `nvtx_kern_sum` of Nsight Systems. A kernel counts for every closed range around its
-- launch; one that has none has a line without a range.
--
-- title: NVTX Range Kernel Summary
-- help: kernels of each NVTX range, in every closed range around their launch, most time first
-- csv: headers
-- column: range | NVTX Range | | text 16 | DOMAIN:text; absent: in no closed range
-- column: style | Style | | text drop 8 | PushPop: on a thread's stack; StartEnd: process-wide
-- column: pid | PID | | id drop 9 | operating system id of the process
-- column: tid | TID | | id drop 9 | operating system id of the thread
-- column: ranges | NVTX Inst | | count drop 4 | openings of the range that launched the kernel
-- column: kernels | Kern Inst | | count | kernels
-- column: total_ns | Total Time (ns) | | count | total time of the kernels
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: kernel | Kernel Name | | text 16 | full demangled name of the kernel
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
SELECT name AS range,
       CASE range_kind WHEN 'start_end' THEN 'StartEnd' WHEN 'push_pop' THEN 'PushPop' END AS style,
       pid, tid,
       nullif(count(DISTINCT range_id), 0) AS ranges,
       count(*) AS kernels,
       sum(time_ns) AS total_ns,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       kernel_full AS kernel, trace, rank
FROM nvtx_work
WHERE kind = 'kernel' AND time_ns IS NOT NULL
GROUP BY trace, thread, name, range_kind, kernel_full
ORDER BY total_ns DESC, range, kernel, trace, thread
