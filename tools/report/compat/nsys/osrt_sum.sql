-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `osrt_sum` of Nsight Systems.
--
-- title: OS Runtime Summary
-- help: calls of the operating system that may block, and their time by function, longest first
-- csv: headers
-- missing: no operating system calls to show; prof-run --trace osrt records them
-- column: time_pct | Time (%) | | real 1 | share of the total time of all calls listed
-- column: total_ns | Total Time (ns) | | count | total time of the calls
-- column: calls | Num Calls | | count | number of the calls
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: name | Name | | text 16 | function of libc or of the threads library
SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS calls,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       function AS name
FROM os_calls
WHERE time_ns IS NOT NULL
GROUP BY function
ORDER BY total_ns DESC, name
