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
-- column: step_ns      | Per step  | ns  | time asked    | their time in a step: the mean of the steady steps of their GPU; without steps, all of it
-- column: sm_clock_mhz | SM        | MHz | real 0 drop 5 | mean clock of the multiprocessors while they ran, at which the model is taken; absent: not sampled, and the model is at the stated peaks
-- column: roofline_pct | Roofline  | %   | real 1 drop 2 | time predicted by the roofline model over the actual time of the kernels for which it has one
-- column: headroom_ns  | Headroom  | ns  | time          | time above that of the model; never below 0 for a kernel
-- column: share_pct    | Share     | %   | real 1 drop 1 | that time as a share of the time of all kernels
-- column: unknown      | Unknown   |     | count drop 4  | kernels for which the model has no time
-- column: intensity    | FLOP/B    |     | real 2 asked  | FLOPs over bytes, of kernels for which both are known
-- column: tflop_per_s  | TFLOP/s   |     | real 2 asked  | FLOPs over time, without helper kernels
-- column: peak_tflop_per_s | Peak  | TFLOP/s | real 1 asked | the device's peak for this arithmetic, at the clock that ran: the mean over their time
-- column: gb_per_s     | GB/s      |     | real 1 asked  | bytes over time, without helper kernels
-- column: peak_gb_per_s | Peak     | GB/s | real 1 asked | bandwidth of the device's memory, at its clock that ran, or of its L2 where that is the limit: the mean over their time
WITH steady AS MATERIALIZED (
       SELECT trace, device, ifnull(capture, 0) AS capture, step FROM step_times WHERE is_steady),
     gpu AS MATERIALIZED (
       SELECT trace AS t, device AS d, count(*) AS steps FROM steady GROUP BY trace, device),
     kernel AS (
       SELECT trace, rank, op, dir, params, dtype, bound,
              asked(layer) AS layer, asked(step) AS step, time_ns, sm_clock_mhz,
              CASE share WHEN 0 THEN 0.0 ELSE roofline_pct END AS roofline_pct, latency_by,
              1.0 * time_ns / ifnull(steps, 1) AS step_ns,
              CASE WHEN share > 0 THEN asked(tflop_per_s) END AS tflop_per_s,
              CASE WHEN share > 0 THEN asked(gb_per_s) END AS gb_per_s,
              CASE WHEN asked(intensity) IS NOT NULL AND share > 0 THEN flops END AS flops,
              CASE WHEN asked(intensity) IS NOT NULL AND share > 0 THEN bytes END AS bytes,
              CASE WHEN asked(peak_tflop_per_s) IS NOT NULL THEN peak_at_clock_tflop_per_s END
                AS peak_tflop_per_s,
              CASE WHEN asked(peak_gb_per_s) IS NOT NULL THEN peak_at_clock_gb_per_s END
                AS peak_gb_per_s
       FROM attributed_kernels LEFT JOIN gpu ON t = trace AND d = device
       WHERE (trace, device, ifnull(capture, 0), step) IN (SELECT * FROM steady)
          OR (trace, device) NOT IN (SELECT trace, device FROM steady))
SELECT trace, rank, op, dir, params, dtype, bound,
       CASE WHEN min(latency_by) <> max(latency_by) THEN 'several' ELSE min(latency_by) END
         AS latency_by,
       layer, step,
       count(*) AS kernels,
       sum(time_ns) AS time_ns,
       sum(step_ns) AS step_ns,
       1.0 * sum(time_ns * sm_clock_mhz) / sum(time_ns) FILTER (WHERE sm_clock_mhz IS NOT NULL)
         AS sm_clock_mhz,
       100 * sum(time_ns * roofline_pct / 100)
         / nullif(sum(CASE WHEN roofline_pct IS NOT NULL THEN time_ns END), 0) AS roofline_pct,
       sum(max(time_ns * (1 - roofline_pct / 100), 0)) AS headroom_ns,
       100 * sum(max(time_ns * (1 - roofline_pct / 100), 0)) / sum(sum(time_ns)) OVER ()
         AS share_pct,
       sum(roofline_pct IS NULL) AS unknown,
       sum(flops) FILTER (WHERE bytes > 0) / sum(bytes) FILTER (WHERE flops IS NOT NULL)
         AS intensity,
       sum(time_ns * tflop_per_s) / sum(time_ns) FILTER (WHERE tflop_per_s IS NOT NULL)
         AS tflop_per_s,
       sum(time_ns * peak_tflop_per_s) / sum(time_ns) FILTER (WHERE peak_tflop_per_s IS NOT NULL)
         AS peak_tflop_per_s,
       sum(time_ns * gb_per_s) / sum(time_ns) FILTER (WHERE gb_per_s IS NOT NULL) AS gb_per_s,
       sum(time_ns * peak_gb_per_s) / sum(time_ns) FILTER (WHERE peak_gb_per_s IS NOT NULL)
         AS peak_gb_per_s
FROM kernel
GROUP BY trace, rank, op, dir, params, dtype, bound, layer, step
ORDER BY headroom_ns DESC NULLS LAST, time_ns DESC, trace, op, dir, params, layer, step
