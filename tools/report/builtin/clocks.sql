-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `clocks`: how long each reason holds the clocks of a GPU down, and what that may cost. A
-- sample stands for the time around it, and counts for the gravest of its reasons. Lost is an upper
-- bound: only work that the multiprocessors' clock limits gets shorter with it.
--
-- help: what holds the clocks of each GPU down and for how long, with clocks, power, temperature
-- missing: there are no samples of the GPUs; see docs/capture.md, Device states
-- table: device,throttle,samples,time_pct,steps_pct,sm_min_mhz,sm_median_mhz,sm_max_mhz,lost_pct,power_w,power_max_w,temperature_max_c
-- column: trace             | Trace    |     | text          | file name of the trace
-- column: rank              | Rank     |     | id            | rank of the process in its job
-- column: device            | Device   |     | id            | CUDA device number of the GPU
-- column: throttle          | Throttle |     | text 10       | the gravest reason why the clocks are not higher; absent: none, or unknown
-- column: samples           | Samples  |     | count drop 4  | samples with that reason
-- column: time_pct          | Time     | %   | real 1        | share of the GPU's samples
-- column: steps_pct         | Steps    | %   | real 1 drop 2 | share of the samples that were taken during its steps; absent: no sample was
-- column: sm_min_mhz        | SM min   | MHz | id drop 5     | lowest clock of the multiprocessors
-- column: sm_median_mhz     | SM       | MHz | real 0        | median clock of the multiprocessors
-- column: sm_max_mhz        | SM max   | MHz | id drop 6     | highest clock of the multiprocessors among the samples
-- column: lost_pct          | Lost     | %   | real 1 drop 1 | part of the time of its steps (without steps, of all samples) that the lower clock costs at most; absent: idle, or the highest clock of the GPU is not known
-- column: memory_median_mhz | Memory   | MHz | real 0 drop 9 | median clock of the memory
-- column: power_w           | Power    | W   | real 0        | mean power of the whole board
-- column: power_max_w       | Power max | W   | real 0 drop 7 | highest power of the whole board
-- column: temperature_max_c | Temp     | C   | id drop 3     | highest temperature of the GPU
WITH event AS MATERIALIZED (
       SELECT trace, rank, device, start_ns AS ns, NULL AS end_ns, throttle, sm_clock_mhz,
              memory_clock_mhz, power_w, temperature_c,
              max(1 - sm_clock_pct / 100, 0) AS lower
       FROM device_states
       UNION ALL
       SELECT trace, rank, device, start_ns, start_ns + period_ns, NULL, NULL, NULL, NULL, NULL, NULL
       FROM step_times),
     placed AS (
       SELECT *, coalesce(max(end_ns) OVER before > ns, 0) AS in_step,
              count(end_ns) OVER (PARTITION BY trace, device) > 0 AS has_steps
       FROM event
       WINDOW before AS (PARTITION BY trace, device ORDER BY ns ROWS UNBOUNDED PRECEDING)),
     sample AS MATERIALIZED (
       SELECT *, in_step OR NOT has_steps AS counts FROM placed WHERE end_ns IS NULL),
     whole AS (
       SELECT trace AS t, device AS d, count(*) AS samples, nullif(sum(in_step), 0) AS of_steps,
              nullif(sum(counts), 0) AS counted
       FROM sample GROUP BY trace, device)
SELECT trace, rank, device, throttle,
       count(*) AS samples,
       100.0 * count(*) / whole.samples AS time_pct,
       100.0 * sum(in_step) / of_steps AS steps_pct,
       min(sm_clock_mhz) AS sm_min_mhz,
       median(sm_clock_mhz) AS sm_median_mhz,
       max(sm_clock_mhz) AS sm_max_mhz,
       CASE WHEN throttle IS NOT 'idle'
            THEN 100 * sum(lower) FILTER (WHERE counts) / counted END AS lost_pct,
       median(memory_clock_mhz) AS memory_median_mhz,
       avg(power_w) AS power_w,
       max(power_w) AS power_max_w,
       max(temperature_c) AS temperature_max_c
FROM sample JOIN whole ON t = trace AND d = device
GROUP BY trace, rank, device, throttle
ORDER BY trace, device, count(*) DESC, throttle
