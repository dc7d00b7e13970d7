-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `nvtx_gpu_proj_trace` of Nsight Systems.
--
-- title: NVTX GPU Projection Trace
-- help: every NVTX range that launched GPU work, with the time of that work, by its start
-- csv: headers
-- column: name | Name | | text 16 | domain and text of the range
-- column: proj_start_ns | Projected Start (ns) | | count | start of the first work launched inside
-- column: proj_ns | Projected Duration (ns) | | count | time from there to the end of the last
-- column: start_ns | Orig Start (ns) | | count drop 6 | start of the range, since the start of the trace
-- column: time_ns | Orig Duration (ns) | | count drop 2 | time of the range; absent: never closed
-- column: style | Style | | text drop 7 | PushPop: on a thread's stack; StartEnd: process-wide
-- column: pid | PID | | id drop 8 | operating system id of the process
-- column: tid | TID | | id drop 7 | operating system id of the thread
-- column: gpu_ops | NumGPUOps | | count | kernels, copies and sets launched inside
-- column: level | Lvl | | id drop 4 | number of enclosing ranges; absent for start/end ranges
-- column: children | NumChild | | count drop 6 | ranges directly inside that launched GPU work
-- column: range_id | RangeId | | id drop 8 | id of the range in trace.db
-- column: parent_id | ParentId | | id drop 8 | id of the enclosing range
-- column: path | RangeStack | | text drop 9 | ids of the enclosing ranges, outermost first; itself last
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
SELECT name, gpu_start_ns AS proj_start_ns, gpu_time_ns AS proj_ns, start_ns, time_ns,
       CASE kind WHEN 'start_end' THEN 'StartEnd' ELSE 'PushPop' END AS style, pid, tid, gpu_ops,
       level, children, range_id, parent_id, path, trace, rank
FROM nvtx_projections
ORDER BY proj_start_ns, start_ns, range_id
