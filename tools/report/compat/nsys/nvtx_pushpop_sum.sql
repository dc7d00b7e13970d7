-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `nvtx_pushpop_sum` of Nsight Systems. Ranges that were never closed have no time and
-- are left out.
--
-- title: NVTX Push/Pop Range Summary
-- help: openings and time of each push/pop range, longest first
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all ranges listed
-- column: total_ns | Total Time (ns) | | count | total time of the ranges
-- column: instances | Instances | | count drop 1 | number of the ranges
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: range | Range | | text 16 | DOMAIN:text, or :text in the default domain
SELECT 100.0 * sum(time_ns) / (SELECT sum(time_ns) FROM nvtx_ranges WHERE kind = 'push_pop')
         AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS instances,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       name AS range
FROM nvtx_ranges
WHERE time_ns IS NOT NULL AND kind = 'push_pop'
GROUP BY name
ORDER BY total_ns DESC, range
