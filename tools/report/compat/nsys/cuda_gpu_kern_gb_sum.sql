-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_gpu_kern_gb_sum` of Nsight Systems.
--
-- title: CUDA GPU Kernel/Grid/Block Summary
-- help: GPU time of each kernel by full name, grid and block, longest first
-- csv: headers
-- column: time_pct | Time (%) | | real 1 | share of the total time of all kernels listed
-- column: total_ns | Total Time (ns) | | count | total time of the kernels
-- column: instances | Instances | | count drop 1 | number of the kernels
-- column: avg_ns | Avg (ns) | | real 1 drop 6 | mean time
-- column: med_ns | Med (ns) | | real 1 drop 7 | median time
-- column: min_ns | Min (ns) | | count drop 8 | shortest time
-- column: max_ns | Max (ns) | | count drop 7 | longest time
-- column: stddev_ns | StdDev (ns) | | real 1 drop 9 | standard deviation of the sample; 0 for one value
-- column: grid | GridXYZ | | text 16 | blocks in x, y and z
-- column: block | BlockXYZ | | text 16 | threads per block in x, y and z
-- column: name | Name | | text 16 | full demangled name of the kernel
SELECT 100.0 * sum(time_ns) / sum(sum(time_ns)) OVER () AS time_pct,
       sum(time_ns) AS total_ns,
       count(*) AS instances,
       avg(time_ns) AS avg_ns,
       median(time_ns) AS med_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       ifnull(stddev_samp(time_ns), 0.0) AS stddev_ns,
       CASE WHEN work.grid IS NOT NULL
            THEN printf('%4d %4d %4d', grid ->> 0, grid ->> 1, grid ->> 2) END AS grid,
       CASE WHEN work.block IS NOT NULL
            THEN printf('%4d %4d %4d', block ->> 0, block ->> 1, block ->> 2) END AS block,
       kernel_full AS name
FROM attributed_kernels AS work
WHERE time_ns IS NOT NULL
GROUP BY kernel_full, work.grid, work.block
ORDER BY total_ns DESC, name, work.grid, work.block
