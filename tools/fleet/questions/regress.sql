-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Question `regress`: two runs: the step, its parts, then each place. Collectives are no places: their
-- time is that of waits. Each place has two lines that are tested, one of all GPUs, and one of the
-- rank that changes most, which a mean over many hides.
--
-- A line is slower or faster if its change exceeds 2 % and a thousandth of the step (that of the step
-- and of its parts a hundredth), and chance makes no such change anywhere in 19 of 20 comparisons, by
-- a t test. Few steps say little of their own spread: its variance is moderated, with the weight of
-- five steps, by that of the median place, and of a rank by that of the median rank too. Runs
-- differ as well: by half a percent, or as far as the middle half of the places, or ranks, changes
-- apart.
--
-- help: what takes longer or shorter in run B than in run A: the step, its parts, then layer, op and direction; regress A B
-- missing: the runs have no steady steps in the store
-- arguments: a b
-- table: what,layer,op,dir,a_ns,b_ns,change_ns,change_pct,changed_rank,rank_change_ns,verdict
-- column: what       | What    |    | text 10 | step, a part of it, or op
-- column: layer      | Layer   |    | text 12 | path of the layers
-- column: op         | Op      |    | text 8  | op
-- column: dir        | Dir     |    | text 5 drop 3 | fprop, bprop or update
-- column: a_ns       | A       | ns | time    | time in a step of run A, the mean over all its GPUs and steady steps
-- column: b_ns       | B       | ns | time    | the same of run B
-- column: change_ns  | Change  | ns | time drop 2 | B - A
-- column: change_pct | Change  | %  | real 1  | of A
-- column: low_pct    | Low     | %  | real 1  | the least change that agrees with the steps: the end of an interval of 95 percent
-- column: high_pct   | High    | %  | real 1  | the largest one
-- column: changed_rank | Rank  |    | id drop 1 | rank that changes most
-- column: rank_change_ns | Its change | ns | time drop 1 | change of that rank
-- column: p          | p       |    | real 4  | probability that chance makes such a change, of all GPUs or of that rank, anywhere in the step
-- column: verdict    | Verdict |    | text 9  | slower or faster: of all GPUs, or of that rank; same; undecided: neither is shown; new or gone: only one run has it
--
-- with measured: times of a rank in a step
SELECT 'op' AS what, layer, op, dir, run, ifNull(rank, toInt64(-1)) AS one_rank, ifNull(step, toInt64(0)) AS one_step,
       toFloat64(assumeNotNull(sum_ns)) AS ns
FROM {facts}
WHERE is_steady = 1 AND is_collective = 0
UNION ALL
SELECT part AS what, '' AS layer, '' AS op, '' AS dir, run, ifNull(rank, toInt64(-1)) AS one_rank,
       ifNull(step, toInt64(0)) AS one_step, toFloat64(assumeNotNull(part_ns)) AS ns
FROM {steps}
ARRAY JOIN ['step', 'computing', 'copies', 'collectives', 'idle'] AS part,
           [period_ns, computing_ns, copying_ns, collective_ns, idle_ns] AS part_ns
WHERE is_steady = 1
UNION ALL
SELECT part AS what, '' AS layer, '' AS op, '' AS dir, run, ifNull(rank, toInt64(-1)) AS one_rank,
       ifNull(step, toInt64(0)) AS one_step, toFloat64(assumeNotNull(part_ns)) AS ns
FROM {waits}
ARRAY JOIN ['waits', 'transfers'] AS part, [waits_ns, transfers_ns] AS part_ns
WHERE is_steady = 1
UNION ALL
SELECT concat('idle: ', cause) AS what, '' AS layer, '' AS op, '' AS dir, run, ifNull(rank, toInt64(-1)) AS one_rank,
       ifNull(step, toInt64(0)) AS one_step, toFloat64(assumeNotNull(idle_ns)) AS ns
FROM {idle}
WHERE is_steady = 1
-- with most: on how many GPUs a step of a run is, at most
SELECT run, max(step_gpus) AS most_gpus
FROM (SELECT run, ifNull(step, toInt64(0)) AS one_step, count() AS step_gpus
      FROM {steps}
      WHERE is_steady = 1
      GROUP BY run, one_step)
GROUP BY run
-- with gpus: how many have a step, of each rank and of all; whole: one that no GPU of the run lacks
SELECT run, one_step, one_rank, rank_gpus, all_gpus, all_gpus = most_gpus AS is_whole
FROM (SELECT run, one_step, groupArray(one_rank) AS ranks, groupArray(gpus) AS counts, sum(gpus) AS all_gpus
      FROM (SELECT run, ifNull(step, toInt64(0)) AS one_step, ifNull(rank, toInt64(-1)) AS one_rank, count() AS gpus
            FROM {steps}
            WHERE is_steady = 1
            GROUP BY run, one_step, one_rank)
      GROUP BY run, one_step) AS all_steps
ANY LEFT JOIN {most} AS most USING run
ARRAY JOIN ranks AS one_rank, counts AS rank_gpus
-- with samples: a step of a rank (who), and a whole one of all GPUs (who = -2): the mean, none being zero
SELECT what, layer, op, dir, run, who, one_step, sum(share_ns) AS sample_ns
FROM (SELECT what, layer, op, dir, run, one_rank, one_step, is_whole, rank_ns / rank_gpus AS of_rank_ns,
             rank_ns / all_gpus AS of_all_ns
      FROM (SELECT what, layer, op, dir, run, one_rank, one_step, sum(ns) AS rank_ns
            FROM {measured}
            GROUP BY what, layer, op, dir, run, one_rank, one_step) AS works
      ANY LEFT JOIN {gpus} AS gpus USING run, one_rank, one_step)
ARRAY JOIN if(is_whole, [one_rank, toInt64(-2)], [one_rank]) AS who,
           if(is_whole, [of_rank_ns, of_all_ns], [of_rank_ns]) AS share_ns
GROUP BY what, layer, op, dir, run, who, one_step
-- with step_counts: steady steps of both runs, of a rank and of all
SELECT who, uniqExactIf(one_step, run = {a}) AS a_steps, uniqExactIf(one_step, run = {b}) AS b_steps
FROM {gpus}
ARRAY JOIN if(is_whole, [one_rank, toInt64(-2)], [one_rank]) AS who
GROUP BY who
-- with means: over these steps, and the squared deviations from them
SELECT what, layer, op, dir, is_in_a, is_in_b, b_ns - a_ns AS change_ns,
       squares / greatest(1, a_steps + b_steps - 2) AS variance, who != -2 AND a_steps > 0 AND b_steps > 0 AS is_pair, who,
       (who, if(a_steps > 0, a_sum / a_steps, 0) AS a_ns, if(b_steps > 0, b_sum / b_steps, 0) AS b_ns, a_steps, b_steps,
        greatest(0, a_sum2 - a_sum * a_ns) + greatest(0, b_sum2 - b_sum * b_ns) AS squares) AS facts
FROM (SELECT what, layer, op, dir, who, max(run = {a}) AS is_in_a, max(run = {b}) AS is_in_b,
             sumIf(sample_ns, run = {a}) AS a_sum, sumIf(sample_ns * sample_ns, run = {a}) AS a_sum2,
             sumIf(sample_ns, run = {b}) AS b_sum, sumIf(sample_ns * sample_ns, run = {b}) AS b_sum2
      FROM {samples}
      GROUP BY what, layer, op, dir, who) AS sums
ANY LEFT JOIN {step_counts} AS counts USING who
-- with lines: of each place one of all GPUs, and one of the first rank that changes most; large: of an op
SELECT what, layer, op, dir, in_a, in_b, ranks, line.1 AS who, line.2 AS a_ns, line.3 AS b_ns, line.4 AS a_steps,
       line.5 AS b_steps, line.6 AS squares, line.1 = -2 AS is_all, if(line.1 = -2, 0, usual) AS usual_variance,
       if(line.1 = -2 OR ranks < 4, 0, rank_spread) AS spread_ns,
       (SELECT avg(assumeNotNull(period_ns)) FROM {steps} WHERE is_steady = 1 AND run = {a}) AS step_ns,
       what = 'op' AND greatest(line.2, line.3) > 0.001 * step_ns AS is_large
FROM (SELECT what, layer, op, dir, max(is_in_a) AS in_a, max(is_in_b) AS in_b, countIf(is_pair) AS ranks,
             anyIf(facts, who = -2) AS of_all, argMaxIf(facts, abs(change_ns) - 1e-6 * who, is_pair) AS of_one,
             quantileExactIf(0.5)(variance, is_pair) AS usual,
             (quantileExactIf(0.74)(change_ns, is_pair) - quantileExactIf(0.25)(change_ns, is_pair)) / 1.35 AS rank_spread
      FROM {means}
      GROUP BY what, layer, op, dir)
ARRAY JOIN if(ranks > 1, [of_all, of_one], [of_all]) AS line
-- with whole: all lines in one, with relative variances over the steps and quartiles of the places' changes
SELECT groupArray((what, layer, op, dir, in_a, in_b, ranks, who, a_ns, b_ns, a_steps, b_steps)) AS keys,
       groupArray((squares, step_ns, is_all, usual_variance, spread_ns)) AS values,
       countIf(is_large AND is_all) AS places,
       quantileExactIf(0.5)(squares / (a_steps + b_steps - 2) / (a_ns * a_ns),
                            is_large AND is_all AND a_ns > 0 AND a_steps + b_steps > 2) AS of_places,
       quantileExactIf(0.5)(usual_variance / (a_ns * a_ns), is_large AND NOT is_all AND a_ns > 0) AS of_ranks,
       quantileExactIf(0.25)(b_ns / a_ns, is_large AND is_all AND in_a AND in_b) AS lower_change,
       quantileExactIf(0.75)(b_ns / a_ns, is_large AND is_all AND in_a AND in_b) AS upper_change,
       maxIf(in_a, what = 'waits') AND maxIf(in_b, what = 'waits') AS has_waits,
       maxIf(in_a, startsWith(what, 'idle: ')) AND maxIf(in_b, startsWith(what, 'idle: ')) AS has_causes
FROM {lines}
-- with weighed: each line, with degrees of freedom, and the variance that all of them let expect
SELECT key.1 AS what, key.2 AS layer, key.3 AS op, key.4 AS dir, key.5 AS in_a, key.6 AS in_b, key.8 AS who,
       key.9 AS a_ns, key.10 AS b_ns, key.11 AS a_steps, key.12 AS b_steps, value.1 AS squares, value.2 AS step_ns,
       value.3 AS is_all, has_waits, has_causes, a_steps + b_steps + 3 AS freedom,
       a_steps > 0 AND b_steps > 0 AND a_steps + b_steps > 2 AND step_ns > 0 AS is_known,
       if(what = 'op', greatest(1, places), 1) * if(is_all, 1, key.7) AS tests,
       greatest(0.02 * a_ns, if(what = 'op', 0.001, 0.01) * step_ns) AS least_ns,
       pow(value.5, 2)
         + pow(greatest(0.005, if(places < 8, 0, (upper_change - lower_change) / 1.35)) * a_ns, 2) AS between_runs,
       greatest(value.4, if(is_all, of_places, of_ranks) * pow(if(what = 'op', a_ns, step_ns), 2)) AS expected
FROM {whole}
ARRAY JOIN keys AS key, values AS value
-- with tested: Student's t to a normal deviate and back, of the interval, by Wallace (1959)
SELECT what, layer, op, dir, who, is_all, a_ns, b_ns, in_a, in_b, is_known, least_ns,
       (8 * freedom + 1) / (8 * freedom + 3) AS wallace,
       greatest(1, (5 * expected + squares) / freedom * (1 / greatest(1, a_steps) + 1 / greatest(1, b_steps))
                   + between_runs) AS error2,
       least(1, tests * erfc(wallace * sqrt(freedom * log(1 + pow(b_ns - a_ns, 2) / error2 / freedom) / 2))) AS chance,
       sqrt(error2 * freedom * (exp(pow(1.96 / wallace, 2) / freedom) - 1)) AS margin_ns
FROM {weighed}
WHERE (what NOT IN ('collectives', 'waits', 'transfers') OR (what = 'collectives') != has_waits)
  AND (NOT startsWith(what, 'idle') OR (what = 'idle') != has_causes)
-- with places: the two lines of each side by side
SELECT what, layer, op, dir, max(in_a) AS is_in_a, max(in_b) AS is_in_b, max(is_all AND is_known) AS is_decidable,
       sum(is_all * a_ns) AS all_a_ns, sum(is_all * b_ns) AS all_b_ns, max(is_all * least_ns) AS all_least_ns,
       max(is_all * margin_ns) AS all_margin_ns, max(is_all * chance) AS all_chance,
       max(who) AS one_rank, sum((1 - is_all) * (b_ns - a_ns)) AS one_change_ns,
       max((1 - is_all) * least_ns) AS one_least_ns, min(if(is_all, 1, chance)) AS one_chance
FROM {tested}
GROUP BY what, layer, op, dir
-- answer
SELECT what, layer, op, dir, all_a_ns AS a_ns, all_b_ns AS b_ns, all_b_ns - all_a_ns AS change_ns,
       if(all_a_ns > 0, 100 * change_ns / all_a_ns, NULL) AS change_pct,
       if(is_decidable AND all_a_ns > 0, 100 * (change_ns - all_margin_ns) / all_a_ns, NULL) AS low_pct,
       if(is_decidable AND all_a_ns > 0, 100 * (change_ns + all_margin_ns) / all_a_ns, NULL) AS high_pct,
       if(one_rank >= 0, one_rank, NULL) AS changed_rank, if(one_rank >= 0, one_change_ns, NULL) AS rank_change_ns,
       if(is_decidable, least(all_chance, one_chance), NULL) AS p,
       multiIf(what = 'op' AND NOT is_in_a, 'new', what = 'op' AND NOT is_in_b, 'gone', NOT is_decidable, 'undecided',
               all_chance <= 0.05 AND abs(change_ns) > all_least_ns, if(change_ns > 0, 'slower', 'faster'),
               one_chance <= 0.05 AND abs(one_change_ns) > one_least_ns, if(one_change_ns > 0, 'slower', 'faster'),
               abs(change_ns) + all_margin_ns <= all_least_ns, 'same', 'undecided') AS verdict
FROM {places}
WHERE all_a_ns > 0 OR all_b_ns > 0
ORDER BY what = 'step' DESC, what = 'op', what = 'op' AND verdict IN ('same', 'undecided'), abs(change_ns) DESC, what,
         layer, op, dir
