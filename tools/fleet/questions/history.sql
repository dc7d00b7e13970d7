-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `history`: one run after another. The time of a step is a mean over ranks and steady
-- steps; a run without steps counts as one. A change is where the median of three runs, from this
-- one on, differs from that of the five before by more than three percent and four times what runs
-- before it differ among themselves, and by more than at the runs beside it.
--
-- help: time of a step over runs and commits, of all work or of --op and --layer, and where it changes
-- missing: the store has no run that was asked for
-- table: began,run,job,commit,ranks,work_ns,period_ns,change_pct
-- column: began      | Began  | UTC | text 10     | start of its first capture
-- column: run        | Run    |    | text 8       | id of the run
-- column: job        | Job    |    | text 6       | --job
-- column: commit     | Commit |    | text 7       | --commit
-- column: ranks      | Ranks  |    | count drop 3 | traces
-- column: work_ns    | Work   | ns | time         | GPU time of a step, of the work that was asked for
-- column: period_ns  | Step   | ns | time         | median period of its steady steps
-- column: change_pct | Change | %  | real 1       | of work, where it changes: after it against before
SELECT toString(toDateTime(first_began, 'UTC')) AS began, run, job, commit, ranks, work_ns,
       nullIf(known_period_ns, 0) AS period_ns, change_pct
FROM (SELECT first_began, run, job, commit, ranks, work_ns, known_period_ns,
             if(abs(ratio - 1) > threshold AND abs(ratio - 1) >= beside, 100 * (ratio - 1), NULL) AS change_pct
      FROM (SELECT groupArray(first_began) AS begans, groupArray(run) AS all_runs,
                   groupArray(job) AS jobs, groupArray(commit) AS commits,
                   groupArray(ranks) AS all_ranks, groupArray(work_ns) AS works,
                   groupArray(known_period_ns) AS periods,
                   arrayMap(i -> arraySlice(works, greatest(1, i - 5), least(5, i - 1)), arrayEnumerate(works)) AS befores,
                   arrayMap(i -> arraySlice(works, i, 3), arrayEnumerate(works)) AS afters,
                   arrayMap(x -> if(length(x) > 2, arrayElement(arraySort(x), intDiv(length(x) + 1, 2)), 0), befores) AS medians,
                   arrayMap((x, m) -> if(m > 0, arrayElement(arraySort(x), intDiv(length(x) + 1, 2)) / m, 1), afters, medians) AS ratios,
                   arrayMap((x, m) -> greatest(0.03, if(m > 0, 4 * arrayElement(arraySort(arrayMap(y -> abs(y / m - 1), x)), intDiv(length(x) + 1, 2)), 0)), befores, medians) AS thresholds,
                   arrayMap(i -> greatest(if(i > 1, abs(ratios[i - 1] - 1), 0), if(i < length(ratios), abs(ratios[i + 1] - 1), 0)), arrayEnumerate(ratios)) AS besides
            FROM (SELECT run, first_began, job, commit, ranks, work_ns, known_period_ns
                  FROM (SELECT run, first_began, job, commit, ranks, work_ns
                        FROM (SELECT run, min(began) AS first_began, any(job) AS job,
                                     any(commit) AS commit, count() AS ranks
                              FROM {added}
                              WHERE is_run = 0
                              GROUP BY run) AS traces
                        ANY LEFT JOIN (SELECT run, toFloat64(assumeNotNull(sum(sum_ns))) / uniqExact(attempt, device, step) AS work_ns
                                       FROM {facts}
                                       WHERE ifNull(is_steady, 1) = 1
                                       GROUP BY run) AS works USING run) AS worked
                  ANY LEFT JOIN (SELECT run, toFloat64(assumeNotNull(quantileExact(0.5)(period_ns))) AS known_period_ns
                                 FROM {steps}
                                 WHERE is_steady = 1
                                 GROUP BY run) AS periods USING run
                  ORDER BY first_began, run))
      ARRAY JOIN begans AS first_began, all_runs AS run, jobs AS job, commits AS commit,
                 all_ranks AS ranks, works AS work_ns, periods AS known_period_ns, ratios AS ratio,
                 thresholds AS threshold, besides AS beside)
ORDER BY first_began, run
