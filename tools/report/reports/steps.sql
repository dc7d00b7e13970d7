-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `steps`: how long each step takes on each GPU, and what the GPU does in it. The last step
-- of a captured part ends with its work, as nothing follows: it does not count for the median.
-- Where some steps ran without marks (prof_torch --mark-every), marks made the others slower, and
-- the median is of those without. `unusual` compares with the median: it takes more than 5 standard
-- deviations, estimated by 1.4826 times the median deviation, and more than 1 %. Periods that span
-- work of no step are not the step's own: they do not count either.
--
-- help: period of each step on each GPU, what the GPU does in it, and steps that are unusual
-- missing: no step is known; see docs/conventions.md, Steps and time
-- table: device,step,period_us,computing_pct,collective_pct,copying_pct,idle_pct,kernels,launches,mfu_pct,hfu_pct,from_median_pct,unusual
-- column: trace           | Trace      |    | text          | file name of the trace
-- column: rank            | Rank       |    | id            | rank of the process in its job
-- column: device          | Device     |    | id            | CUDA device number of the GPU
-- column: step            | Step       |    | id            | number of the step
-- column: period_us       | Period     | us | real 3        | from its first work on the GPU to the first work of the next step; of the last one to its last end
-- column: computing_pct   | Computing  | %  | real 1        | part of the period in which a kernel ran that is no collective
-- column: collective_pct  | Collective | %  | real 1 drop 3 | part in which a collective ran, and nothing computed: exposed
-- column: copying_pct     | Copying    | %  | real 1 drop 2 | part in which only copies and sets ran: exposed
-- column: idle_pct        | Idle       | %  | real 1        | part in which nothing ran
-- column: kernels         | Kernels    |    | count drop 5  | GPU kernels
-- column: launches        | Launches   |    | count drop 4  | CUDA calls that launched its work
-- column: mfu_pct         | MFU        | %  | real 1 drop 1 | model FLOPs utilization: HFU without what the backward pass computes again
-- column: hfu_pct         | HFU        | %  | real 1 drop 7 | hardware FLOPs utilization: time of products, convolutions and attention at the peaks of their dtypes, over the period
-- column: flops_unknown   | FLOPs?     |    | count drop 9  | of these, kernels without known FLOPs or peak: MFU and HFU are lower bounds
-- column: from_median_pct | vs median  | %  | real 1 drop 6 | how much longer than the median step of this GPU
-- column: unusual         | Unusual    |    | text 7        | slow or fast, if it is far from the median; marked: other steps ran without marks; last: its period ends with its work; outside: it spans more work of no step than others, such as evaluation
-- column: gpu_us          | GPU span   | us | real 3 drop 9 | from its first work to its last end
-- column: host_us         | Host span  | us | real 3 drop 9 | from its first launch to the end of its last
-- column: overlap_us      | Overlap    | us | real 3 drop 9 | how long work of it ran after the next step had begun
-- column: outside_us      | Outside    | us | real 3 drop 9 | part of the period, behind its work, in which GPU work runs that is in no step
-- column: start_us        | Start      | us | real 3 drop 9 | its first work, since the start of the trace
WITH step AS MATERIALIZED (
       SELECT trace, rank, device, step, start_ns, period_ns, computing_ns, collective_ns,
              copying_ns, idle_ns, kernels, launches, mfu_pct, hfu_pct, flops_unknown, gpu_ns,
              host_ns, overlap_ns, outside_ns, is_last, spans_outside,
              repeats = 0 AND max(repeats) OVER (PARTITION BY trace, device) > 0 AS is_slowed
       FROM step_times),
     whole AS MATERIALIZED (
       SELECT trace AS t, device AS d, period_ns
       FROM step WHERE NOT (is_last OR spans_outside OR is_slowed)),
     middle AS MATERIALIZED (
       SELECT t, d, median(period_ns) AS median_ns FROM whole GROUP BY t, d),
     spread AS MATERIALIZED (
       SELECT t, d, median_ns, 1.4826 * median(abs(period_ns - median_ns)) AS deviation_ns
       FROM middle JOIN whole USING (t, d) GROUP BY t, d)
SELECT trace, rank, device, step,
       period_ns / 1e3 AS period_us,
       100.0 * computing_ns / nullif(period_ns, 0) AS computing_pct,
       100.0 * collective_ns / nullif(period_ns, 0) AS collective_pct,
       100.0 * copying_ns / nullif(period_ns, 0) AS copying_pct,
       100.0 * idle_ns / nullif(period_ns, 0) AS idle_pct,
       kernels, launches, mfu_pct, hfu_pct, flops_unknown,
       CASE WHEN is_last = 0 THEN 100.0 * (period_ns / median_ns - 1) END AS from_median_pct,
       CASE WHEN is_last THEN 'last'
            WHEN is_slowed THEN 'marked'
            WHEN spans_outside THEN 'outside'
            WHEN abs(period_ns - median_ns) <= max(5 * deviation_ns, 0.01 * median_ns) THEN NULL
            WHEN period_ns > median_ns THEN 'slow'
            ELSE 'fast' END AS unusual,
       gpu_ns / 1e3 AS gpu_us,
       host_ns / 1e3 AS host_us,
       overlap_ns / 1e3 AS overlap_us,
       outside_ns / 1e3 AS outside_us,
       start_ns / 1e3 AS start_us
FROM step LEFT JOIN spread ON t = trace AND d = device
ORDER BY trace, device, start_ns
