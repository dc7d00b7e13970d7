-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `gaps`: why the GPUs are idle. An idle stretch is split where the reason changes. The op is
-- that of the work for which the GPU waits; where it was queued already, the op does not matter. Of
-- a trace with steps, only the steady ones count (docs/conventions.md, Steps and time).
--
-- help: idle time of each GPU in its steady steps by cause, and the ops for which the GPU waits
-- missing: no GPU is idle between its first work and its last
-- keys: trace,rank,section,device,cause,op
-- causes: cause
-- gpus: each
-- table: section,device,cause,op,step_ns,time_pct,gaps,max_ns,max_step
-- column: trace    | Trace  |    | text          | file name of the trace
-- column: rank     | Rank   |    | id            | rank of the process in its job
-- column: section  | Section |   | label asked   | cause: a line for each cause; op: one for each cause and op. Without it, the latter
-- column: device   | Device |    | id            | CUDA device number of the GPU
-- column: cause    | Cause  |    | text 9       | what the host did meanwhile, or that the next work was queued
-- column: op       | Op     |    | text 8       | op of the next work
-- column: step_ns  | Idle   | ns | time          | idle time in a step: the mean of the steady steps, and of the GPUs that a line adds up; without steps, of all captured time
-- column: time_pct | Step   | %  | real 1        | share of the time of the steady steps, or, without steps, of all captured time; with --op or --layer of the time that these choose
-- column: gaps     | Gaps   |    | count drop 2  | stretches in all these steps
-- column: idle_ns  | Total idle | ns | time        | total idle time in all these steps
-- column: idle_pct | Idle   | %  | real 1 drop 4 | share of the idle time
-- column: mean_ns  | Mean   | ns | time          | mean stretch
-- column: max_ns   | Max    | ns | time drop 1   | longest stretch
-- column: max_step | At step |   | id            | step of the longest
WITH slice AS MATERIALIZED (
       SELECT trace, rank, device, is_steady, all_steps, state, cause, op, stretches,
              time_ns AS ns, max_ns, max_step
       FROM device_time_sums),
     chosen AS MATERIALIZED (
       SELECT trace AS t, device AS d, max(is_steady) AS has_steps
       FROM slice GROUP BY trace, device),
     gpu AS MATERIALIZED (
       SELECT t, rank AS r, d, has_steps,
              CASE has_steps WHEN 1 THEN max(all_steps) ELSE 1 END AS steps,
              sum(ns) AS whole_ns, sum(CASE state WHEN 'idle' THEN ns END) AS whole_idle_ns
       FROM chosen JOIN slice ON t = trace AND d = device AND is_steady = has_steps
       GROUP BY t, d),
     place AS MATERIALIZED (
       SELECT asked(trace) AS of_trace, asked(rank) AS of_rank, asked(device) AS of_device,
              count(*) AS gpus, sum(whole_ns) AS all_ns, sum(whole_idle_ns) AS idle_ns
       FROM (SELECT t AS trace, r AS rank, d AS device, whole_ns, whole_idle_ns FROM gpu)
       GROUP BY 1, 2, 3),
     level(section) AS (VALUES ('cause'), ('op')),
     line AS (
       SELECT asked(trace) AS trace, asked(rank) AS rank, asked(device) AS device,
              asked(section) AS section, asked(cause) AS cause,
              CASE WHEN level.section = 'cause' AND asked(section) IS NOT NULL THEN NULL
                   ELSE asked(op) END AS op,
              ns, ns * 1.0 / steps AS step_ns, stretches, max_ns, max_step
       FROM slice JOIN gpu ON t = trace AND d = device AND is_steady = has_steps
       JOIN level ON level.section = 'op' AND (asked(section) IS NULL OR op IS NOT NULL)
                  OR level.section = 'cause' AND asked(section) IS NOT NULL
       WHERE state = 'idle')
SELECT trace, rank, section, device, cause, op,
       sum(step_ns) / gpus AS step_ns,
       100.0 * sum(ns) / all_ns AS time_pct,
       sum(stretches) AS gaps,
       sum(ns) AS idle_ns,
       100.0 * sum(ns) / idle_ns AS idle_pct,
       1.0 * sum(ns) / sum(stretches) AS mean_ns,
       max(max_ns) AS max_ns,
       max_step
FROM line JOIN place ON of_trace IS trace AND of_rank IS rank AND of_device IS device
GROUP BY trace, rank, device, section, cause, op
ORDER BY section, sum(ns) DESC, trace, device, cause, op
