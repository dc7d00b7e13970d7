-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_api_sum` of Nsight Systems. Calls that another recorded call made are left out.
--
-- title: CUDA API Summary
-- help: calls and time of each CUDA function that the program called, longest first
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all calls listed
-- column: total_ns | Total Time (ns) | | count | total time of the calls
-- column: calls | Num Calls | | count | number of the calls
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: name | Name | | text 16 | CUDA function
SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS calls,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       function AS name
FROM cuda_calls
WHERE depth = 0 AND time_ns IS NOT NULL
GROUP BY function
ORDER BY total_ns DESC, name
