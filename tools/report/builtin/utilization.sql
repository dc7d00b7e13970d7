-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `utilization`: when a GPU was busy, without steps or ranges to go by. The captured time of
-- each GPU is cut into 30 equal parts, as the rule gpu_time_util of Nsight Systems does; time
-- between captures counts in none, so a part may begin in one capture and end in another.
--
-- help: what each GPU does in each of 30 equal parts of the captured time
-- missing: no GPU has work of known time
-- table: device,part,start_ns,time_ns,busy_pct,computing_pct,collective_pct,copying_pct,idle_pct
-- column: trace           | Trace      |    | text          | file name of the trace
-- column: rank            | Rank       |    | id            | rank of the process in its job
-- column: device          | Device     |    | id            | CUDA device number of the GPU
-- column: part            | Part       |    | id            | number of the part, from 1
-- column: start_ns        | Start      | ns | instant drop 3 | start of the part, since the start of the trace
-- column: time_ns        | Time       | ns | time drop 2   | captured time in the part
-- column: busy_pct        | Busy       | %  | real 1        | share of that time in which the GPU is not idle
-- column: computing_pct   | Computing  | %  | real 1 drop 1 | share in which a kernel runs that is no collective
-- column: collective_pct  | Collective | %  | real 1 drop 1 | share in which collectives alone run
-- column: copying_pct     | Copying    | %  | real 1 drop 1 | share in which copies and sets alone run
-- column: idle_pct        | Idle       | %  | real 1        | share in which nothing runs
WITH RECURSIVE
     part(number) AS (VALUES (0) UNION ALL SELECT number + 1 FROM part WHERE number < 29),
     stretch AS (  -- the times of a GPU leave no gap in a capture
       SELECT trace, rank, device, state, start_ns, time_ns, all_ns, start_ns - from_ns AS shift_ns,
              from_ns, from_ns + time_ns AS to_ns
       FROM (SELECT *, sum(time_ns) OVER (PARTITION BY trace, device ORDER BY start_ns
                                          ROWS UNBOUNDED PRECEDING) - time_ns AS from_ns,
                    sum(time_ns) OVER (PARTITION BY trace, device) AS all_ns
             FROM device_times)
       WHERE time_ns > 0),
     numbered AS (
       SELECT *, ((from_ns + 1) * 30 - 1) / all_ns AS first, (to_ns * 30 - 1) / all_ns AS last
       FROM stretch),
     piece AS (
       SELECT trace, rank, device, first AS number, state, start_ns, time_ns
       FROM numbered WHERE first = last
       UNION ALL
       SELECT trace, rank, device, number, state, shift_ns + max(from_ns, number * all_ns / 30),
              min(to_ns, (number + 1) * all_ns / 30) - max(from_ns, number * all_ns / 30)
       FROM numbered JOIN part ON number BETWEEN first AND last WHERE first < last)
SELECT trace, rank, device,
       number + 1 AS part,
       min(start_ns) AS start_ns,
       sum(time_ns) AS time_ns,
       100.0 * sum(time_ns * (state <> 'idle')) / sum(time_ns) AS busy_pct,
       100.0 * sum(time_ns * (state = 'computing')) / sum(time_ns) AS computing_pct,
       100.0 * sum(time_ns * (state = 'collective')) / sum(time_ns) AS collective_pct,
       100.0 * sum(time_ns * (state = 'copying')) / sum(time_ns) AS copying_pct,
       100.0 * sum(time_ns * (state = 'idle')) / sum(time_ns) AS idle_pct
FROM piece
GROUP BY trace, rank, device, number
ORDER BY trace, device, number
