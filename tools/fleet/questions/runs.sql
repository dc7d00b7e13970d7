-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `runs`: what is in the store.
--
-- help: runs in the store: when, what, how many ranks and hosts, and the period of a step
-- missing: the store has no run that was asked for
-- table: run,began,job,commit,program,gpu,ranks,hosts,steps,period_ns,labels
-- column: run       | Run     |    | text 8        | id of the run: --run, or what the launcher set
-- column: began     | Began   | UTC | text 10       | start of its first capture
-- column: job       | Job     |    | text 6        | --job
-- column: commit    | Commit  |    | text 7        | --commit
-- column: program   | Program |    | text 10 drop 2 | command line
-- column: gpu       | GPU     |    | text 8 drop 4 | name of the GPUs
-- column: ranks     | Ranks   |    | count         | ranks that have a trace
-- column: hosts     | Hosts   |    | count         | machines
-- column: steps     | Steps   |    | count drop 3  | its steady steps, which all ranks share
-- column: period_ns | Step    | ns | time          | median period of the steady steps
-- column: rows      | Rows    |    | count drop 6  | rows in the store
-- column: labels    | Labels  |    | text 6 drop 5 | --label
-- column: file      | File    |    | text 8 drop 7 | path of its first trace
SELECT run, toString(toDateTime(first_began, 'UTC')) AS began, job, commit, program, gpu, ranks, hosts,
       steps, period_ns, rows, labels, file
FROM (SELECT run, min(began) AS first_began, argMin(job, attempt) AS job,
             argMin(commit, attempt) AS commit,
             argMin(program, attempt) AS program, argMin(gpu, attempt) AS gpu,
             uniqExact(ifNull(toString(rank), toString(attempt))) AS ranks, uniqExact(host) AS hosts,
             sum(rows) AS rows, argMin(arrayStringConcat(labels, ' '), attempt) AS labels,
             min(file) AS file
      FROM {added}
      WHERE is_run = 0
      GROUP BY run) AS traces
ANY LEFT JOIN (SELECT run, uniqExact(step) AS steps, quantileExact(0.5)(period_ns) AS period_ns
               FROM {steps}
               WHERE is_steady = 1
               GROUP BY run) AS periods USING run
ORDER BY first_began, run
