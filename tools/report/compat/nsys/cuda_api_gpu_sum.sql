-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_api_gpu_sum` of Nsight Systems: cuda_api_sum and cuda_gpu_sum in one.
--
-- title: CUDA Summary (API/Kernels/MemOps)
-- help: time of each CUDA function, kernel and kind of copy and set, longest first
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all lines
-- column: total_ns | Total Time (ns) | | count | total time of the calls, kernels, copies and sets
-- column: instances | Instances | | count drop 1 | number of the calls, kernels, copies and sets
-- column: avg_ns | Avg (ns) | | real 1 drop 4 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 6 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: category | Category | | text drop 2 | CUDA_API, CUDA_KERNEL or MEMORY_OPER
-- column: operation | Operation | | text 16 | CUDA function, kernel, copy or set
WITH everything(category, operation, time_ns) AS (
  SELECT CASE kind WHEN 'kernel' THEN 'CUDA_KERNEL' ELSE 'MEMORY_OPER' END, operation, time_ns
  FROM attributed_work
  UNION ALL
  SELECT 'CUDA_API', function, time_ns FROM cuda_calls WHERE depth = 0)
SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS instances,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       category, operation
FROM everything
WHERE time_ns IS NOT NULL
GROUP BY category, operation
ORDER BY total_ns DESC, category, operation
