-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `flops`: of steady steps.
--
-- help: FLOPs utilization by job and GPU: MFU and HFU of the steady steps
-- missing: no run that was asked for has steady steps
-- table: job,gpu,runs,ranks,steps,period_ns,mfu_pct,hfu_pct,unknown
-- column: job       | Job     |    | text 8       | --job
-- column: gpu       | GPU     |    | text 8       | name of the GPUs
-- column: runs      | Runs    |    | count        | runs of the job
-- column: ranks     | Ranks   |    | count        | their traces
-- column: steps     | Steps   |    | count drop 3 | their steady steps
-- column: period_ns | Step    | ns | time drop 2  | median period
-- column: mfu_pct   | MFU     | %  | real 2       | model FLOPs utilization, weighted by the steps' periods; absent: no FLOPs are known
-- column: hfu_pct   | HFU     | %  | real 2       | hardware FLOPs utilization, likewise
-- column: unknown   | Unknown |    | count drop 4 | products, convolutions and attention without known FLOPs: the rates are lower bounds
SELECT job, gpu, uniqExact(run) AS runs, uniqExact(attempt) AS ranks, count() AS steps,
       quantileExact(0.5)(period_ns) AS period_ns,
       sum(mfu * weight_ns) / sum(if(mfu IS NULL, 0, weight_ns)) AS mfu_pct,
       sum(hfu * weight_ns) / sum(if(hfu IS NULL, 0, weight_ns)) AS hfu_pct,
       sum(flops_unknown) AS unknown
FROM (SELECT run, attempt, period_ns, mfu_pct AS mfu, hfu_pct AS hfu, flops_unknown,
             toFloat64(assumeNotNull(period_ns)) AS weight_ns
      FROM {steps}
      WHERE is_steady = 1) AS steady
ANY LEFT JOIN (SELECT attempt, job, gpu FROM {added}) AS traces USING attempt
GROUP BY job, gpu
ORDER BY job, gpu
