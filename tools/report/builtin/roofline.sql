-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `roofline`: where each op's kernels stand under the roofline. A kernel left of the ridge,
-- the intensity at which arithmetic and memory take equal time at their peaks, is bound by memory,
-- right of it by arithmetic. Helper kernels carry no FLOPs and bytes. Peaks are those at the clocks
-- that ran, where there are samples of them. docs/reports.md, Distance from the hardware's limit, has
-- the model.
--
-- help: intensity, rates, peaks and share of the roofline by op and kernel, most time first
-- missing: there are no kernels
-- table: op,dir,kernel,dtype,bound,latency_by,kernels,time_ns,sm_clock_mhz,intensity,ridge,tflop_per_s,peak_tflop_per_s,gb_per_s,peak_gb_per_s,roofline_pct
-- column: trace            | Trace     |         | text          | file name of the trace
-- column: rank             | Rank      |         | id            | rank of the process in its job
-- column: op               | Op        |         | text 8        | op that launched the kernels
-- column: dir              | Dir       |         | text 5        | fprop, bprop or update (the optimizer)
-- column: kernel           | Kernel    |         | text 8        | short name of the kernel
-- column: dtype            | Type      |         | text 6        | data type the op computes in
-- column: bound            | Bound     |         | text 7        | limiting factor by the roofline model: compute, memory, L2 or latency; absent: not known
-- column: latency_by       | Latency by |        | text 10 drop 3 | what kernels that are bound by latency lack; several: not all the same
-- column: layer            | Layer     |         | text 14 asked | path of the layers around the launch
-- column: params           | Params    |         | tensors 12 asked | sizes of the matrix product, or shapes
-- column: step             | Step      |         | id asked      | number of the step around the launch
-- column: kernels          | Kernels   |         | count drop 4  | GPU kernels
-- column: time_ns          | Time      | ns      | time          | their total time on the GPU
-- column: time_pct         | Time      | %       | real 1 drop 9 | share of the time of all kernels
-- column: sm_clock_mhz     | SM        | MHz     | real 0 drop 6 | mean clock of the multiprocessors while they ran, at which peaks and model are taken; absent: not sampled, and they are as stated
-- column: intensity        | FLOP/B    |         | real 2 drop 1 | FLOPs over bytes, of kernels for which both are known
-- column: ridge            | Ridge     | FLOP/B  | real 2 drop 7 | intensity at which both peaks are reached; absent: the kernels do no arithmetic, or their peaks differ
-- column: tflop_per_s      | TFLOP/s   |         | real 2 drop 2 | FLOPs over time, without helper kernels
-- column: peak_tflop_per_s | Peak      | TFLOP/s | real 1 drop 5 | the device's peak for this arithmetic, at the clock that ran; absent: the kernels' arithmetic differs
-- column: gb_per_s         | GB/s      |         | real 1 drop 3 | bytes over time, without helper kernels
-- column: peak_gb_per_s    | Peak      | GB/s    | real 1 drop 5 | bandwidth of the device's memory, at its clock that ran, or of its L2 where that is the limit
-- column: roofline_pct     | Roofline  | %       | real 1        | time predicted by the roofline model over the actual time of the kernels for which it has one
-- column: unknown          | Unknown   |         | count drop 9  | main kernels for which the model has no time
WITH part AS (
       SELECT trace, rank, op, dir, kernel, dtype, bound,
              asked(layer) AS layer, asked(params) AS params, asked(step) AS step,
              CASE WHEN min(latency_by) <> max(latency_by) THEN 'several' ELSE min(latency_by) END
                AS latency_by,
              count(*) AS kernels,
              sum(time_ns) AS all_ns,
              1.0 * sum(time_ns * sm_clock_mhz)
                / sum(time_ns) FILTER (WHERE sm_clock_mhz IS NOT NULL) AS sm_clock_mhz,
              sum(flops) FILTER (WHERE share > 0 AND time_ns > 0) AS flops,
              sum(time_ns) FILTER (WHERE share > 0 AND flops IS NOT NULL) AS flops_ns,
              sum(bytes) FILTER (WHERE share > 0 AND time_ns > 0) AS bytes,
              sum(time_ns) FILTER (WHERE share > 0 AND bytes IS NOT NULL) AS bytes_ns,
              sum(flops) FILTER (WHERE share > 0 AND bytes > 0) AS both_flops,
              sum(bytes) FILTER (WHERE share > 0 AND flops IS NOT NULL) AS both_bytes,
              min(peak_tflop_per_s) AS least_peak,
              max(peak_tflop_per_s) AS most_peak,
              min(peak_gb_per_s) AS least_memory,
              max(peak_gb_per_s) AS most_memory,
              min(peak_at_clock_tflop_per_s) AS low_peak,
              max(peak_at_clock_tflop_per_s) AS high_peak,
              sum(time_ns * peak_at_clock_tflop_per_s)
                / sum(time_ns) FILTER (WHERE peak_at_clock_tflop_per_s IS NOT NULL) AS mean_peak,
              min(peak_at_clock_gb_per_s) AS low_memory,
              max(peak_at_clock_gb_per_s) AS high_memory,
              sum(time_ns * peak_at_clock_gb_per_s)
                / sum(time_ns) FILTER (WHERE peak_at_clock_gb_per_s IS NOT NULL) AS mean_memory,
              sum(time_ns * roofline_pct) AS model_ns,
              sum(time_ns) FILTER (WHERE roofline_pct IS NOT NULL) AS model_of_ns,
              sum(roofline_pct IS NULL AND share IS NOT 0) AS unknown
       FROM attributed_kernels
       GROUP BY trace, rank, op, dir, kernel, dtype, bound, 8, 9, 10),
     known AS (
       SELECT *, sum(all_ns) OVER () AS whole_ns,
              CASE WHEN low_peak = high_peak THEN low_peak
                   WHEN least_peak = most_peak THEN mean_peak END AS peak,
              CASE WHEN low_memory = high_memory THEN low_memory
                   WHEN least_memory = most_memory THEN mean_memory END AS memory
       FROM part)
SELECT trace, rank, op, dir, kernel, dtype, bound, latency_by, layer, params, step, kernels,
       all_ns AS time_ns,
       100.0 * all_ns / whole_ns AS time_pct,
       sm_clock_mhz,
       both_flops / both_bytes AS intensity,
       1e3 * peak / memory AS ridge,
       flops / flops_ns / 1e3 AS tflop_per_s,
       peak AS peak_tflop_per_s,
       bytes / bytes_ns AS gb_per_s,
       memory AS peak_gb_per_s,
       model_ns / model_of_ns AS roofline_pct,
       unknown
FROM known
ORDER BY all_ns DESC NULLS LAST, kernels DESC, trace, op, dir, kernel, dtype, bound, layer,
         params, step
