-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `top`: what takes the GPUs' time, over all ranks and runs that are asked for.
--
-- help: what takes the GPUs' time, most first; --by layer, kernel, shapes, host, run, ... groups otherwise
-- missing: no GPU work is of what was asked for
-- keys: op,dir
-- table: count,time_ns,share_pct,mean_ns,tflop_per_s,gb_per_s,ranks,runs
-- column: count       | Count | | count        | kernels, copies and sets
-- column: time_ns     | Time  | ns | time      | their time on the GPUs
-- column: share_pct   | Share | % | real 1     | part of the time of all work that was asked for
-- column: mean_ns     | Mean  | ns | time drop 2 | time of one
-- column: tflop_per_s | Rate  | TFLOP/s | real 1 drop 3 | of those with known FLOPs
-- column: gb_per_s    | Bandwidth | GB/s | real 1 drop 4 | known bytes over the time; absent: of none they are known
-- column: ranks       | Ranks | | count drop 5 | ranks, of all runs
-- column: runs        | Runs  | | count drop 6 | runs
SELECT {by},
       sum(count) AS count,
       sum(sum_ns) AS time_ns,
       100 * sum(sum_ns) / (SELECT sum(sum_ns) FROM {facts}) AS share_pct,
       sum(sum_ns) / sum(timed) AS mean_ns,
       sum(flops) / sum(flops_ns) / 1000 AS tflop_per_s,
       sum(bytes) / sum(sum_ns) AS gb_per_s,
       uniqExact(attempt) AS ranks,
       uniqExact(run) AS runs
FROM {facts}
GROUP BY {by}
ORDER BY time_ns DESC, {by}
