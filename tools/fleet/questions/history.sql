-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `history`: the runs of each job, one after another. The time of a step is a mean over ranks
-- and steady steps; a run without steps counts as one. A change is at the first run that differs from
-- the median of the five before it by more than three percent, and by more than four times what these
-- differ from it among themselves, if the median of it and the two after it does, too. The newest runs
-- are judged by those that there are. Before the fourth run there is none.
--
-- help: time of a step over runs and commits, of all work or of --op and --layer, and where it changes
-- missing: the store has no run that was asked for
-- table: began,run,job,commit,ranks,work_ns,period_ns,change_pct
-- column: began      | Began  | UTC | text 10     | start of its first capture
-- column: run        | Run    |    | text 8       | id of the run
-- column: job        | Job    |    | text 6       | --job
-- column: commit     | Commit |    | text 7       | --commit
-- column: ranks      | Ranks  |    | count drop 3 | traces
-- column: work_ns    | Work   | ns | time         | GPU time of a step, of the work that was asked for, without collectives
-- column: period_ns  | Step   | ns | time         | median period of its steady steps
-- column: change_pct | Change | %  | real 1       | of work, where it changes: after it against before
SELECT toString(toDateTime(first_began, 'UTC')) AS began, run, job, commit, ranks, work_ns,
       nullIf(known_period_ns, 0) AS period_ns, change_pct
FROM (SELECT job, first_began, run, commit, ranks, work_ns, known_period_ns,
             if(now > threshold AND after > threshold AND before <= threshold, change, NULL) AS change_pct
      FROM (SELECT job, groupArray(first_began) AS begans, groupArray(run) AS runs,
                   groupArray(commit) AS commits, groupArray(ranks) AS all_ranks,
                   groupArray(work_ns) AS works, groupArray(known_period_ns) AS periods,
                   arrayMap(i -> arraySlice(works, greatest(1, i - 5), least(5, i - 1)), arrayEnumerate(works)) AS earlier,
                   arrayMap(x -> if(length(x) > 2, arrayElement(arraySort(x), intDiv(length(x) + 1, 2)), 0), earlier) AS medians,
                   arrayMap(i -> arrayElement(arraySort(arraySlice(works, i, 3)), intDiv(length(arraySlice(works, i, 3)) + 1, 2)), arrayEnumerate(works)) AS laters,
                   arrayMap((x, m) -> if(m > 0, greatest(0.03, 4 * arrayElement(arraySort(arrayMap(y -> abs(y / m - 1), x)), intDiv(length(x) + 1, 2))), 0), earlier, medians) AS thresholds,
                   arrayMap((x, m) -> if(m > 0, abs(x / m - 1), 0), works, medians) AS nows,
                   arrayMap((x, m) -> if(m > 0, abs(x / m - 1), 0), laters, medians) AS afters,
                   arrayMap((x, m) -> if(m > 0, abs(arrayElement(x, length(x)) / m - 1), 0), earlier, medians) AS befores,
                   arrayMap((x, m) -> if(m > 0, 100 * (x / m - 1), 0), laters, medians) AS changes
            FROM (SELECT run, first_began, job, commit, ranks, work_ns, known_period_ns
                  FROM (SELECT run, first_began, job, commit, ranks, work_ns
                        FROM (SELECT run, min(began) AS first_began, argMin(job, attempt) AS job,
                                     argMin(commit, attempt) AS commit,
                                     uniqExact(ifNull(toString(rank), toString(attempt))) AS ranks
                              FROM {added}
                              WHERE is_run = 0
                              GROUP BY run) AS traces
                        ANY LEFT JOIN (SELECT run, toFloat64(assumeNotNull(sum(sum_ns))) / uniqExact(attempt, device, step) AS work_ns
                                       FROM {facts}
                                       WHERE ifNull(is_steady, 1) = 1 AND is_collective = 0
                                       GROUP BY run) AS works USING run) AS worked
                  ANY LEFT JOIN (SELECT run, toFloat64(assumeNotNull(quantileExact(0.5)(period_ns))) AS known_period_ns
                                 FROM {steps}
                                 WHERE is_steady = 1
                                 GROUP BY run) AS periods USING run
                  ORDER BY first_began, run)
            GROUP BY job)
      ARRAY JOIN begans AS first_began, runs AS run, commits AS commit, all_ranks AS ranks,
                 works AS work_ns, periods AS known_period_ns, thresholds AS threshold, nows AS now,
                 afters AS after, befores AS before, changes AS change)
ORDER BY job, first_began, run
