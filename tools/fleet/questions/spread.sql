-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `spread`: how far the slowest rank of each run is from the others. Where ranks run one
-- program, one that has no such work counts as zero. They do if most layers are on three quarters of
-- them, which those of a pipeline are not. Layers that other ranks have under another number, such as
-- experts, are compared among the ranks that have them.
--
-- help: by run, layer, op and direction: how far the slowest rank is from the others, most time first
-- missing: there are no two ranks with steady steps and such work
-- table: run,layer,op,dir,ranks,others_ns,max_ns,excess_ns,slowest,host
-- column: run        | Run     |    | text 8        | id of the run
-- column: layer      | Layer   |    | text 10       | path of the layers
-- column: op         | Op      |    | text 8        | op
-- column: dir        | Dir     |    | text 5        | fprop, bprop or update
-- column: ranks      | Ranks   |    | count         | ranks that do it
-- column: min_ns     | Min     | ns | time drop 5   | time in a step of the fastest rank
-- column: others_ns  | Others  | ns | time          | median of all ranks but the slowest
-- column: max_ns     | Slowest | ns | time          | of the slowest rank
-- column: excess_ns  | Excess  | ns | time          | of the slowest above the others
-- column: excess_pct | Excess  | %  | real 1        | the same, of the others; absent: they do not do it
-- column: slowest    | Rank    |    | id            | the slowest rank
-- column: host       | Host    |    | text 6 drop 2 | and its host
--
-- with ranks: and their steps, times GPUs
SELECT run, attempt, any(rank) AS rank, any(host) AS host, count() AS steps
FROM {steps}
WHERE is_steady = 1
GROUP BY run, attempt
-- with layers: on how many ranks each is, and one whose name differs in numbers alone
SELECT run, layer, on_ranks, greatest(on_ranks, alike_on_ranks) AS alike_ranks
FROM (SELECT run, layer, replaceRegexpAll(layer, '[0-9]+', '#') AS alike, uniqExact(attempt) AS on_ranks
      FROM {all facts}
      WHERE is_steady = 1
      GROUP BY run, layer) AS layers
ANY LEFT JOIN (SELECT run, replaceRegexpAll(layer, '[0-9]+', '#') AS alike, uniqExact(attempt) AS alike_on_ranks
               FROM {all facts}
               WHERE is_steady = 1
               GROUP BY run, alike) AS alikes USING run, alike
-- with programs: whether all ranks run the same one
SELECT run, all_ranks, typical_ranks >= 0.75 * all_ranks AS is_one
FROM (SELECT run, quantileExact(0.5)(on_ranks) AS typical_ranks FROM {layers} GROUP BY run) AS typical
ANY LEFT JOIN (SELECT run, count() AS all_ranks FROM {ranks} GROUP BY run) AS counts USING run
-- with places: times of the ranks that do it
SELECT run, layer, op, dir, groupArray(mean_ns) AS known_ns, argMax(rank, mean_ns - 1e-6 * ifNull(rank, 0)) AS slowest,
       argMax(host, mean_ns - 1e-6 * ifNull(rank, 0)) AS slowest_host
FROM (SELECT run, layer, op, dir, rank, host, spent_ns / steps AS mean_ns
      FROM (SELECT run, layer, op, dir, attempt, toFloat64(assumeNotNull(sum(sum_ns))) AS spent_ns
            FROM {facts}
            WHERE is_steady = 1 AND is_collective = 0
            GROUP BY run, layer, op, dir, attempt) AS works
      ANY LEFT JOIN {ranks} AS ranks USING run, attempt)
GROUP BY run, layer, op, dir
-- with compared: those of the others too, without the slowest
SELECT run, layer, op, dir, length(known_ns) AS doing, slowest, slowest_host,
       arraySort(arrayResize(known_ns, if(is_one AND alike_ranks = on_ranks, all_ranks, doing), 0.)) AS sorted_ns,
       arrayPopBack(sorted_ns) AS others, length(others) AS other_ranks
FROM (SELECT run, layer, op, dir, known_ns, slowest, slowest_host, on_ranks, alike_ranks
      FROM {places} AS places
      ANY LEFT JOIN {layers} AS layers USING run, layer) AS placed
ANY LEFT JOIN {programs} AS programs USING run
-- answer
SELECT run, layer, op, dir, doing AS ranks, others[1] AS min_ns,
       (others[intDiv(other_ranks + 1, 2)] + others[intDiv(other_ranks, 2) + 1]) / 2 AS others_ns,
       sorted_ns[other_ranks + 1] AS max_ns, max_ns - others_ns AS excess_ns,
       if(others_ns > 0, 100 * excess_ns / others_ns, NULL) AS excess_pct, slowest, slowest_host AS host
FROM {compared}
WHERE other_ranks > 0
ORDER BY excess_ns DESC, run, layer, op, dir
