-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_gpu_mem_size_sum` of Nsight Systems. A megabyte has 1,000,000 bytes.
--
-- title: CUDA GPU MemOps Summary (by Size)
-- help: size of each kind of copy and set, largest first
-- csv: headers
-- column: total_mb | Total (MB) | | real 3 | total size of the copies and sets
-- column: count | Count | | count drop 1 | number of the copies and sets
-- column: avg_mb | Avg (MB) | | real 3 drop 4 | mean size
-- column: med_mb | Med (MB) | | real 3 drop 6 | median size
-- column: min_mb | Min (MB) | | real 3 drop 8 | smallest size
-- column: max_mb | Max (MB) | | real 3 drop 7 | largest size
-- column: stddev_mb | StdDev (MB) | | real 3 drop 9 | standard deviation of the sample; 0 for one value
-- column: operation | Operation | | text 16 | kind of copy, or set
SELECT sum(bytes) / 1e6 AS total_mb,
       count(*) AS count,
       avg(bytes) / 1e6 AS avg_mb,
       median(bytes) / 1e6 AS med_mb,
       min(bytes) / 1e6 AS min_mb,
       max(bytes) / 1e6 AS max_mb,
       ifnull(stddev_samp(bytes), 0.0) / 1e6 AS stddev_mb,
       operation
FROM attributed_work
WHERE kind <> 'kernel'
GROUP BY operation
ORDER BY total_mb DESC, operation
