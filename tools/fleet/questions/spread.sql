-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `spread`: how far the ranks of each run are apart.
--
-- help: by run, layer, op and direction: how far the slowest rank is from the median, most time first
-- missing: there are no two ranks with steady steps
-- table: run,layer,op,dir,ranks,median_ns,max_ns,excess_pct,slowest,host
-- column: run        | Run     |    | text 8        | id of the run
-- column: layer      | Layer   |    | text 10       | path of the layers
-- column: op         | Op      |    | text 8        | op
-- column: dir        | Dir     |    | text 5        | fprop, bprop or update
-- column: ranks      | Ranks   |    | count         | ranks that do it
-- column: min_ns     | Min     | ns | time drop 5   | time in a step of the fastest rank
-- column: median_ns  | Median  | ns | time          | of the median rank
-- column: max_ns     | Max     | ns | time          | of the slowest rank
-- column: excess_ns  | Excess  | ns | time drop 4   | of the slowest above the median
-- column: excess_pct | Excess  | %  | real 1        | the same, of the median
-- column: slowest    | Slowest |    | id            | its rank
-- column: host       | Host    |    | text 6 drop 2 | and its host
SELECT run, layer, op, dir, count() AS ranks, min(mean_ns) AS min_ns,
       quantileExact(0.5)(mean_ns) AS median_ns, max(mean_ns) AS max_ns,
       max_ns - median_ns AS excess_ns, 100 * excess_ns / median_ns AS excess_pct,
       argMax(rank, mean_ns) AS slowest, argMax(host, mean_ns) AS host
FROM (SELECT run, layer, op, dir, any(rank) AS rank, any(host) AS host,
             toFloat64(assumeNotNull(sum(sum_ns))) / uniqExact(device, step) AS mean_ns
      FROM {facts}
      WHERE is_steady = 1 AND is_collective = 0
      GROUP BY run, layer, op, dir, attempt)
GROUP BY run, layer, op, dir
HAVING ranks > 1
ORDER BY excess_ns DESC, run, layer, op, dir
