-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `headroom`: time above the bound of the roofline model, by op, sizes and what bounds it, at
-- the clocks that ran, where there are samples of them. Kernels for which the model has no time are
-- counted, and add nothing; helpers, such as conversions of layout, count in full. Of a trace with
-- steps, only the steady ones count (docs/conventions.md, Steps and time).
--
-- help: time above that of the roofline model in the steady steps, by op, direction and sizes, largest headroom first
-- missing: the trace has no kernels
-- table: op,dir,params,dtype,bound,latency_by,kernels,time_ns,sm_clock_mhz,roofline_pct,headroom_ns,share_pct,unknown
-- column: trace        | Trace     |     | text          | file name of the trace
-- column: rank         | Rank      |     | id            | rank of the process in its job
-- column: op           | Op        |     | text 10       | op that launched the kernels
-- column: dir          | Direction |     | text 5        | fprop, bprop or update (the optimizer)
-- column: params       | Params    |     | tensors 12     | sizes of the matrix product, or shapes
-- column: dtype        | Type      |     | text 7 drop 6 | data type the op computes in
-- column: bound        | Bound     |     | text 7        | limiting factor by the roofline model: compute, memory, L2 or latency
-- column: latency_by   | Latency by |    | text 10 drop 3 | what kernels that are bound by latency lack; several: not all the same
-- column: layer        | Layer     |     | text 14 asked | path of the layers around the launch
-- column: step         | Step      |     | id asked      | number of the step around the launch
-- column: kernels      | Kernels   |     | count drop 3  | GPU kernels
-- column: time_ns      | Time      | ns  | time          | total time on the GPU, also of kernels for which the model has none
-- column: sm_clock_mhz | SM        | MHz | real 0 drop 5 | mean clock of the multiprocessors while they ran, at which the model is taken; absent: not sampled, and the model is at the stated peaks
-- column: roofline_pct | Roofline  | %   | real 1 drop 2 | time predicted by the roofline model over the actual time of the kernels for which it has one
-- column: headroom_ns  | Headroom  | ns  | time          | time above that of the model; never below 0 for a kernel
-- column: share_pct    | Share     | %   | real 1 drop 1 | that time as a share of the time of all kernels
-- column: unknown      | Unknown   |     | count drop 4  | kernels for which the model has no time
WITH steady AS MATERIALIZED (
       SELECT trace, device, ifnull(capture, 0) AS capture, step FROM step_times WHERE is_steady),
     kernel AS (
       SELECT trace, rank, op, dir, params, dtype, bound,
              asked(layer) AS layer, asked(step) AS step, time_ns, sm_clock_mhz,
              CASE share WHEN 0 THEN 0.0 ELSE roofline_pct END AS roofline_pct, latency_by
       FROM attributed_kernels
       WHERE (trace, device, ifnull(capture, 0), step) IN (SELECT * FROM steady)
          OR (trace, device) NOT IN (SELECT trace, device FROM steady))
SELECT trace, rank, op, dir, params, dtype, bound,
       CASE WHEN min(latency_by) <> max(latency_by) THEN 'several' ELSE min(latency_by) END
         AS latency_by,
       layer, step,
       count(*) AS kernels,
       sum(time_ns) AS time_ns,
       1.0 * sum(time_ns * sm_clock_mhz) / sum(time_ns) FILTER (WHERE sm_clock_mhz IS NOT NULL)
         AS sm_clock_mhz,
       100 * sum(time_ns * roofline_pct / 100)
         / nullif(sum(CASE WHEN roofline_pct IS NOT NULL THEN time_ns END), 0) AS roofline_pct,
       sum(max(time_ns * (1 - roofline_pct / 100), 0)) AS headroom_ns,
       100 * sum(max(time_ns * (1 - roofline_pct / 100), 0)) / sum(sum(time_ns)) OVER ()
         AS share_pct,
       sum(roofline_pct IS NULL) AS unknown
FROM kernel
GROUP BY trace, rank, op, dir, params, dtype, bound, layer, step
ORDER BY headroom_ns DESC NULLS LAST, time_ns DESC, trace, op, dir, params, layer, step
