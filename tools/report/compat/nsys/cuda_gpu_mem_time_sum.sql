-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_gpu_mem_time_sum` of Nsight Systems.
--
-- title: CUDA GPU MemOps Summary (by Time)
-- help: time of each kind of copy and set, longest first
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all copies and sets listed
-- column: total_ns | Total Time (ns) | | count | total time of the copies and sets
-- column: count | Count | | count drop 1 | number of the copies and sets
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: operation | Operation | | text 16 | kind of copy, or set
SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS count,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       operation
FROM attributed_work
WHERE kind <> 'kernel' AND time_ns IS NOT NULL
GROUP BY operation
ORDER BY total_ns DESC, operation
