-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `streams`: how busy each stream was. Where work of a stream overlaps (programmatic
-- launches, copies on several engines), busy counts the time once. Between captures nothing is
-- recorded: that time is not idle.
--
-- help: work, busy time and idle time of each stream of each GPU, busiest first
-- table: device,stream,kernels,copies,busy_ns,idle_ns,first_ns,last_ns
-- column: trace    | Trace   |    | text          | file name of the trace
-- column: rank     | Rank    |    | id            | rank of the process in its job
-- column: device   | Device  |    | id            | CUDA device number of the GPU
-- column: stream   | Stream  |    | id            | CUDA's id of the stream
-- column: kernels  | Kernels |    | count         | GPU kernels
-- column: copies   | Copies+Sets |    | count drop 1  | memory copies and sets
-- column: busy_ns  | Busy    | ns | time          | time in which kernels, copies or sets run
-- column: idle_ns  | Idle    | ns | time          | time between the first start and the last end of each capture, minus busy time
-- column: first_ns | First   | ns | instant drop 3 | start of the first, since the start of the trace
-- column: last_ns  | Last    | ns | instant drop 2 | end of the last, since the start of the trace
SELECT trace, rank, device, stream,
       sum(kernels) AS kernels,
       sum(copies) AS copies,
       sum(busy_ns) AS busy_ns,
       sum(last_ns - first_ns - busy_ns) AS idle_ns,
       min(first_ns) AS first_ns,
       max(last_ns) AS last_ns
FROM (SELECT trace, rank, device, stream,
             sum(kind = 'kernel') AS kernels,
             sum(kind <> 'kernel') AS copies,
             sum(max(end_ns - max(start_ns, ifnull(before_ns, start_ns)), 0)) AS busy_ns,
             min(start_ns) AS first_ns,
             max(end_ns) AS last_ns
      FROM (SELECT trace, rank, device, stream, capture, kind, start_ns,
                   start_ns + time_ns AS end_ns,
                   max(start_ns + time_ns) OVER (PARTITION BY trace, rank, device, stream, capture
                       ORDER BY start_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                       AS before_ns
            FROM attributed_work)
      GROUP BY trace, rank, device, stream, capture)
GROUP BY trace, rank, device, stream
ORDER BY busy_ns DESC, trace, device, stream
