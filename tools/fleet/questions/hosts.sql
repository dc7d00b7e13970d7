-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `hosts`: kernels of the same op, shapes and type against those of other GPUs of the same
-- run. A kernel's time on a GPU is compared with the lower quartile of all GPUs; a GPU's excess is
-- the median over its kernels, weighted by time, so that one slow kernel makes no slow GPU; a host's
-- is the median of its GPUs, of an even number the lower one. Slow is what exceeds the quarter of hosts that is fastest by more than
-- two percent and twelve times what the median host does; of fewer than four hosts, two percent.
--
-- help: hosts whose GPUs take longer than their peers for the same work, slowest first, with clocks
-- missing: there is no work of two GPUs that can be compared
-- table: run,host,ranks,slower_pct,verdict,sm_clock_mhz,power_w,temperature_max_c,throttle
-- column: run          | Run    |     | text 8        | id of the run
-- column: host         | Host   |     | text 8        | host name of the machine
-- column: ranks        | Ranks  |     | count         | ranks on it
-- column: compared_ns  | Time   | ns  | time drop 5   | time of its kernels that were compared
-- column: slower_pct   | Slower | %   | real 1        | than its peers: its median GPU
-- column: worst_pct    | Worst  | %   | real 1 drop 3 | its slowest GPU
-- column: worst_rank   | Rank   |     | id drop 3     | and that one's rank
-- column: verdict      | Verdict |    | text 5        | slow: beyond chance
-- column: sm_clock_mhz | SM     | MHz | real 0        | mean clock of the multiprocessors; absent: not sampled
-- column: power_w      | Power  | W   | real 0 drop 4 | mean power of a board
-- column: temperature_max_c | Temp | C | id drop 4     | highest temperature
-- column: throttle     | Throttle |   | text 6 drop 6 | what held its clocks down most often
SELECT run, host, ranks, compared_ns, slower_pct, worst_pct, worst_rank,
       if(slower_pct - quartile_pct > greatest(2, 12 * between_pct), 'slow', '') AS verdict,
       nullIf(mean_mhz, 0) AS sm_clock_mhz, nullIf(mean_w, 0) AS power_w, temperature_max_c,
       throttle
FROM (SELECT run, host, ranks, compared_ns, slower_pct, worst_pct, worst_rank, quartile_pct, between_pct
      FROM (SELECT run, groupArray(host) AS hosts, groupArray(ranks) AS all_ranks,
                   groupArray(compared_ns) AS times, groupArray(slower_pct) AS slower,
                   groupArray(worst_pct) AS worst, groupArray(worst_rank) AS worst_ranks,
                   quantileExact(0.25)(slower_pct) AS quartile_pct,
                   if(count() < 4, 0, quantileExact(0.5)(slower_pct) - quartile_pct) AS between_pct
            FROM (SELECT run, host, count() AS ranks, sum(spent_ns) AS compared_ns,
                         quantileExact(0.49)(excess_pct) AS slower_pct, max(excess_pct) AS worst_pct,
                         argMax(rank, excess_pct - 1e-9 * ifNull(rank, 0)) AS worst_rank
                  FROM (SELECT run, one_attempt, any(one_rank) AS rank, any(one_host) AS host, sum(spent) AS spent_ns,
                               100 * (quantileExactWeighted(0.5)(spent / (peer_ns * kernels), toUInt64(spent)) - 1) AS excess_pct
                        FROM (SELECT run, groupArray(attempt) AS attempts, groupArray(rank) AS ranks,
                                     groupArray(host) AS hosts, groupArray(spent_ns) AS times,
                                     groupArray(kernels) AS counts, quantileExact(0.25)(mean_ns) AS peer_ns
                              FROM (SELECT run, op, dir, shapes, dtype, kernel, attempt,
                                           ifNull(any(rank), -1) AS rank, any(host) AS host,
                                           toFloat64(assumeNotNull(sum(sum_ns))) AS spent_ns,
                                           assumeNotNull(sum(timed)) AS kernels, spent_ns / kernels AS mean_ns
                                    FROM {facts}
                                    WHERE kind = 'kernel' AND is_collective = 0 AND ifNull(is_steady, 1) = 1 AND timed > 0
                                    GROUP BY run, op, dir, shapes, dtype, kernel, attempt)
                              GROUP BY run, op, dir, shapes, dtype, kernel
                              HAVING count() > 1)
                        ARRAY JOIN attempts AS one_attempt, ranks AS one_rank, hosts AS one_host, times AS spent, counts AS kernels
                        GROUP BY run, one_attempt)
                  GROUP BY run, host)
            GROUP BY run)
      ARRAY JOIN hosts AS host, all_ranks AS ranks, times AS compared_ns, slower AS slower_pct,
                 worst AS worst_pct, worst_ranks AS worst_rank) AS judged
ANY LEFT JOIN (SELECT run, host,
                      sum(ifNull(sm_clock_mhz, 0) * ifNull(samples, 0)) / sum(ifNull(samples, 0)) AS mean_mhz,
                      sum(ifNull(power_w, 0) * ifNull(samples, 0)) / sum(ifNull(samples, 0)) AS mean_w,
                      max(temperature_max_c) AS temperature_max_c,
                      argMax(throttle, if(throttle = '' OR throttle = 'idle', 0, ifNull(samples, 0))) AS throttle
               FROM {device_states}
               GROUP BY run, host) AS states USING run, host
ORDER BY slower_pct DESC, run, host
