-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `regress`: two runs, place by place. A sample is the time of a place in a steady step, the
-- mean over the GPUs that do it. Different is what exceeds two percent, a thousandth of the step, and
-- five standard errors of the steps' mean. Collectives are left out: their time is that of waits.
--
-- help: what takes longer or shorter in run B than in run A, by layer, op and direction; regress A B
-- missing: the runs have no steady steps in the store
-- arguments: a b
-- table: layer,op,dir,a_ns,b_ns,change_ns,change_pct,verdict
-- column: layer      | Layer   |    | text 12 | path of the layers
-- column: op         | Op      |    | text 8  | op
-- column: dir        | Dir     |    | text 5  | fprop, bprop or update
-- column: a_ns       | A       | ns | time    | GPU time in a step of run A, the mean over the GPUs that do it and its steady steps
-- column: b_ns       | B       | ns | time    | the same of run B
-- column: change_ns  | Change  | ns | time    | B - A
-- column: change_pct | Change  | %  | real 1  | of A
-- column: errors     | Errors  |    | real 1 drop 3 | the change in standard errors
-- column: verdict    | Verdict |    | text 6  | slower or faster beyond chance; new or gone; empty: neither
SELECT layer, op, dir, a_ns, b_ns, b_ns - a_ns AS change_ns,
       if(a_ns > 0, 100 * (b_ns - a_ns) / a_ns, NULL) AS change_pct, errors,
       multiIf(a_steps = 0, 'new', b_steps = 0, 'gone',
               abs(b_ns - a_ns) > 0.02 * a_ns AND abs(b_ns - a_ns) > 0.001 * step_ns AND errors > 5,
               if(b_ns > a_ns, 'slower', 'faster'), '') AS verdict
FROM (SELECT layer, op, dir, sum(is_a * mean_ns) AS a_sum, sum(is_b * mean_ns) AS b_sum,
             sum(is_a) AS a_steps, sum(is_b) AS b_steps,
             if(a_steps > 0, a_sum / a_steps, 0) AS a_ns, if(b_steps > 0, b_sum / b_steps, 0) AS b_ns,
             if(a_steps > 0, (sum(is_a * mean_ns * mean_ns) / a_steps - a_ns * a_ns) / a_steps, 0) AS a_error2,
             if(b_steps > 0, (sum(is_b * mean_ns * mean_ns) / b_steps - b_ns * b_ns) / b_steps, 0) AS b_error2,
             abs(b_ns - a_ns) / sqrt(greatest(a_error2 + b_error2, 1e-9)) AS errors,
             (SELECT toFloat64(assumeNotNull(sum(sum_ns))) / greatest(1, uniqExact(attempt, device, step))
              FROM {facts}
              WHERE run = {a} AND is_steady = 1) AS step_ns
      FROM (SELECT layer, op, dir, run = {a} AS is_a, run = {b} AS is_b, step,
                   toFloat64(assumeNotNull(sum(sum_ns))) / uniqExact(attempt, device) AS mean_ns
            FROM {facts}
            WHERE (run = {a} OR run = {b}) AND is_steady = 1 AND is_collective = 0
            GROUP BY layer, op, dir, run, step)
      GROUP BY layer, op, dir)
ORDER BY verdict = '', abs(change_ns) DESC, layer, op, dir
