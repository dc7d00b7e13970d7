-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `stragglers`: by analyzers/ranks, when the traces of a run were added together. Ranks that
-- cost nothing, and for which others wait less than a percent of a step, are left out, unless a cause
-- is known. Rows from before version 2 of the tables have no cost.
--
-- help: ranks that make steps longer, most first, and why they are late
-- missing: no rank makes a step longer in the runs that were asked for, or their traces were not added together
-- table: run,rank,host,cost_ns,cost_pct,waited_for_ns,last_pct,cause,why
-- column: run           | Run        |    | text 8        | id of the run
-- column: rank          | Rank       |    | id            | rank of the process in its job
-- column: host          | Host       |    | text 6 drop 3 | host name of the machine
-- column: cost_ns       | Cost       | ns | time          | how much longer a step takes than if the rank needed no longer than the others: estimated
-- column: cost_pct      | Cost       | %  | real 1        | part of the step's period
-- column: waited_for_ns | Waited for | ns | time drop 5   | how long another rank waits for it in a step and computes nothing: the one that waits longest
-- column: share_pct     | Step       | %  | real 1        | part of the step's period
-- column: last_pct      | Last       | %  | real 0 drop 4 | part of its collectives in which it comes last
-- column: cause         | Cause      |    | text 6        | host, work, sizes, copy, clocks or link, as prof-report's stragglers; empty: none beyond chance
-- column: layer         | Layer      |    | text 10 drop 5 | where: path of the layers
-- column: op            | Op         |    | text 8 drop 5 | where: the op
-- column: excess_ns     | Excess     | ns | time drop 6   | what the rank needs more than the others, in a step
-- column: why           | Why        |    | text 20       | the cause in words
SELECT run, rank, host, cost_ns, cost_pct, waited_for_ns, share_pct, last_pct, cause, layer, op, excess_ns, why
FROM {stragglers}
WHERE cost_ns > 0 OR share_pct >= 1 OR cause != ''
ORDER BY ifNull(cost_pct, 0) DESC, share_pct DESC, run, rank, excess_ns DESC
