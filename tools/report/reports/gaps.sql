-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `gaps`: why the GPUs are idle. An idle stretch is split where the reason changes. The op is
-- that of the work for which the GPU waits; where it was queued already, the op does not matter. Of
-- a trace with steps, only the steady ones count (docs/conventions.md, Steps and time).
--
-- help: idle time of each GPU in its steady steps by cause, and the ops for which the GPU waits
-- missing: no GPU is idle between its first work and its last
-- table: device,cause,op,gaps,idle_ns,idle_pct,time_pct,mean_ns,max_ns,max_step
-- column: trace    | Trace  |    | text          | file name of the trace
-- column: rank     | Rank   |    | id            | rank of the process in its job
-- column: device   | Device |    | id            | CUDA device number of the GPU
-- column: cause    | Cause  |    | text 11       | turnaround: the next work was queued; stream: it waited for another stream; launch: it was being launched; else what kept the thread from launching: synchronize, copy, allocate, graph, load, or host: no call and no op
-- column: op       | Op     |    | text 12       | op of the next work
-- column: gaps     | Gaps   |    | count         | stretches
-- column: idle_ns  | Idle   | ns | time          | total idle time
-- column: idle_pct | Idle   | %  | real 1        | share of the idle time
-- column: time_pct | Time   | %  | real 1 drop 1 | share of the time of the steady steps, or, without steps, of all captured time; with --op or --layer of the time that these choose
-- column: mean_ns  | Mean   | ns | time drop 3   | mean stretch
-- column: max_ns   | Max    | ns | time drop 4   | longest stretch
-- column: max_step | At step |   | id drop 5     | step of the longest
WITH slice AS MATERIALIZED (
       SELECT trace, rank, device, is_steady, state, cause, op, stretches AS gaps, time_ns AS ns,
              max_ns, max_step
       FROM device_time_sums),
     chosen AS MATERIALIZED (
       SELECT trace AS t, device AS d, max(is_steady) AS has_steps FROM slice GROUP BY trace, device),
     whole AS MATERIALIZED (
       SELECT t, d, has_steps, sum(ns) AS all_ns,
              sum(CASE state WHEN 'idle' THEN ns END) AS idle_ns
       FROM chosen JOIN slice ON t = trace AND d = device AND is_steady = has_steps
       GROUP BY t, d)
SELECT trace, rank, device, cause, op, gaps,
       ns AS idle_ns,
       100.0 * ns / idle_ns AS idle_pct,
       100.0 * ns / all_ns AS time_pct,
       1.0 * ns / gaps AS mean_ns,
       max_ns AS max_ns,
       max_step
FROM slice JOIN whole ON t = trace AND d = device AND is_steady = has_steps
WHERE state = 'idle'
ORDER BY ns DESC, trace, device, cause, op
