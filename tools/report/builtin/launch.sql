-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `launch`: what launching costs the CPU, and whether kernels wait for it. A call counts
-- once, however many kernels it launches: the op of a graph's launch is known only if all of its
-- kernels have it. A kernel that starts within 5 us of the end of its launching call found little
-- or nothing queued before it: an idle H200 starts one about 2 us after the call.
--
-- help: CPU time of the calls that launch kernels, and the time from call to kernel, by op
-- missing: no kernel has a recorded launch
-- table: op,dir,origin,launches,kernels,cpu_ns,cpu_mean_ns,cpu_median_ns,delay_median_ns,delay_p95_ns,launch_bound_pct,time_ns
-- column: trace            | Trace     |    | text          | file name of the trace
-- column: rank             | Rank      |    | id            | rank of the process in its job
-- column: op               | Op        |    | text 10       | op that launches; absent: none, or a call launches kernels of several
-- column: dir              | Dir       |    | text 5        | fprop, bprop or update (the optimizer)
-- column: layer            | Layer     |    | text 14 asked | path of the layers around the launch
-- column: step             | Step      |    | id asked      | number of the step around the launch
-- column: origin           | Origin    |    | text 5        | api: kernels of calls; graph: of launches of CUDA graphs; device: of kernels
-- column: launches         | Launches  |    | count         | calls that launch kernels
-- column: kernels          | Kernels   |    | count drop 5  | kernels that they launch
-- column: cpu_ns           | CPU       | ns | time          | total time in these calls
-- column: cpu_mean_ns      | CPU mean  | ns | time drop 3   | time in a call; the first call of a kernel may load its module
-- column: cpu_median_ns    | CPU med   | ns | time drop 1   | median time in a call
-- column: delay_median_ns  | Delay med | ns | time drop 2   | median time from the beginning of a call to the start of its first kernel, without those that start before it
-- column: delay_p95_ns     | Delay p95 | ns | time drop 4   | time that 95 % of these delays do not exceed
-- column: delay_max_ns     | Delay max | ns | time drop 9   | longest of these delays
-- column: launch_bound_pct | Launch bound | % | real 1       | share of the calls whose first kernel starts within 5 us of the end of the call: it waited for the launch, not for other work
-- column: time_ns          | GPU time  | ns | time          | total time of the kernels on the GPU
SELECT trace, rank, op, dir, layer, step, origin,
       count(*) AS launches,
       sum(kernels) AS kernels,
       sum(call_ns) AS cpu_ns,
       avg(call_ns) AS cpu_mean_ns,
       median(call_ns) AS cpu_median_ns,
       median(delay_ns) AS delay_median_ns,
       p95(delay_ns) AS delay_p95_ns,
       max(delay_ns) AS delay_max_ns,
       100.0 * sum(delay_ns - call_ns < 5000) / nullif(count(delay_ns - call_ns), 0)
         AS launch_bound_pct,
       sum(time_ns) AS time_ns
FROM (SELECT trace, rank, origin,
             CASE WHEN min(ifnull(op, '')) = max(ifnull(op, '')) THEN op END AS op,
             CASE WHEN min(ifnull(dir, '')) = max(ifnull(dir, '')) THEN dir END AS dir,
             CASE WHEN min(ifnull(asked(layer), '')) = max(ifnull(asked(layer), ''))
                  THEN asked(layer) END AS layer,
             CASE WHEN min(ifnull(asked(step), -1)) = max(ifnull(asked(step), -1))
                  THEN asked(step) END AS step,
             count(*) AS kernels,
             max(launch_time_ns) AS call_ns,
             CASE WHEN min(start_ns) >= launch_ns THEN min(start_ns) - launch_ns END AS delay_ns,
             sum(time_ns) AS time_ns
      FROM attributed_kernels
      WHERE launch_ns IS NOT NULL
      GROUP BY trace, correlation, origin)
GROUP BY trace, rank, op, dir, layer, step, origin
ORDER BY cpu_ns DESC NULLS LAST, launches DESC, trace, op, dir, layer, step, origin
