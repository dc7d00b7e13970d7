-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `steps`: how long each step takes on each GPU, and what the GPU does in it. `vs median` and
-- `unusual` compare with the settled steps of equal work (docs/conventions.md, Steps and time).
--
-- help: period of each step on each GPU, what the GPU does in it, and steps that are unusual
-- missing: no step is known; see docs/conventions.md, Steps and time
-- gpus: each
-- table: device,step,period_ns,computing_pct,collective_pct,waits_pct,copying_pct,idle_pct,kernels,launches,mfu_pct,hfu_pct,from_median_pct,unusual
-- ranks: waits_pct
-- column: trace           | Trace      |    | text          | file name of the trace
-- column: rank            | Rank       |    | id            | rank of the process in its job
-- column: device          | Device     |    | id            | CUDA device number of the GPU
-- column: step            | Step       |    | id            | number of the step
-- column: period_ns       | Period     | ns | time          | from its first work on the GPU to the first work of the next step; of the last one to the end of its work and of its range
-- column: computing_pct   | Computing  | %  | real 1        | part of the period in which a kernel ran that is not a collective
-- column: collective_pct  | Collective | %  | real 1 drop 3 | part in which a collective ran, and nothing computed: exposed
-- column: waits_pct       | Waits      | %  | real 1 drop 1 | part of that in which it waits for other ranks; absent: their traces are not given
-- column: copying_pct     | Copying    | %  | real 1 drop 2 | part in which only copies and sets ran: exposed
-- column: idle_pct        | Idle       | %  | real 1        | part in which nothing ran
-- column: kernels         | Kernels    |    | count drop 5  | GPU kernels
-- column: launches        | Launches   |    | count drop 4  | CUDA calls that launched its work
-- column: mfu_pct         | MFU        | %  | real 1 drop 1 | model FLOPs utilization: HFU without what the backward pass computes again
-- column: hfu_pct         | HFU        | %  | real 1 drop 7 | hardware FLOPs utilization: time of products, convolutions and attention at the peaks of their dtypes, over the period
-- column: flops_unknown   | FLOPs?     |    | count drop 9  | of these, kernels without known FLOPs or peak: MFU and HFU are lower bounds
-- column: from_median_pct | vs median  | %  | real 1 drop 6 | how much longer than the median of the settled steps of equal work on this GPU
-- column: unusual         | Unusual    |    | text 7        | warm-up: before the steady steps; slow or fast, if it is far from the median; other: other work, as of another shape; marked: other steps ran without marks; last: its period has no known end; outside: it spans more work of no step than others, such as evaluation; empty: it has no kernel
-- column: gpu_ns          | GPU span   | ns | time drop 9   | from its first work to its last end
-- column: host_ns         | Host span  | ns | time drop 9   | from its first launch to the end of its last
-- column: overlap_ns      | Overlap    | ns | time drop 9   | how long work of it ran after the next step had begun
-- column: outside_ns      | Outside    | ns | time drop 9   | part of the period, behind its work, in which GPU work runs that is in no step
-- column: start_ns        | Start      | ns | instant drop 9 | its first work, since the start of the trace
SELECT trace, rank, device, step,
       period_ns AS period_ns,
       100.0 * computing_ns / nullif(period_ns, 0) AS computing_pct,
       100.0 * collective_ns / nullif(period_ns, 0) AS collective_pct,
       100.0 * waits_ns / nullif(period_ns, 0) AS waits_pct,
       100.0 * copying_ns / nullif(period_ns, 0) AS copying_pct,
       100.0 * idle_ns / nullif(period_ns, 0) AS idle_pct,
       kernels, launches, mfu_pct, hfu_pct, flops_unknown,
       100.0 * (period_ns / nullif(median_ns, 0) - 1) AS from_median_pct,
       unusual,
       gpu_ns AS gpu_ns,
       host_ns AS host_ns,
       overlap_ns AS overlap_ns,
       outside_ns AS outside_ns,
       start_ns AS start_ns
FROM step_times
ORDER BY trace, device, start_ns
