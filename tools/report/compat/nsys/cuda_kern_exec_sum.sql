-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_kern_exec_sum` of Nsight Systems. The total runs from the start of the launching
-- call to its end or the kernel's, whichever is later; queue time from the end of the call to the
-- kernel's start. A kernel that starts before its call has returned has no queue time.
--
-- title: CUDA Kernel Launch & Exec Time Summary
-- help: launching, waiting and running of each kernel, most total time first
-- csv: headers
-- column: pid | PID | | id drop 9 | operating system id of the launching process
-- column: tid | TID | | id drop 9 | operating system id of the launching thread
-- column: device | DevId | | id drop 8 | CUDA device number of the GPU
-- column: count | Count | | count drop 1 | kernels
-- column: queued | QCount | | count drop 8 | kernels with a queue time
-- column: t_avg_ns | TAvg (ns) | | real 1 | mean total time
-- column: t_med_ns | TMed (ns) | | real 1 drop 8 | median total time
-- column: t_min_ns | TMin (ns) | | count drop 8 | shortest total time
-- column: t_max_ns | TMax (ns) | | count drop 7 | longest total time
-- column: t_stddev_ns | TStdDev (ns) | | real 1 drop 9 | standard deviation of the sample
-- column: a_avg_ns | AAvg (ns) | | real 1 drop 5 | mean time of the launching call
-- column: a_med_ns | AMed (ns) | | real 1 drop 8 | median time of the launching call
-- column: a_min_ns | AMin (ns) | | count drop 8 | shortest time of the launching call
-- column: a_max_ns | AMax (ns) | | count drop 7 | longest time of the launching call
-- column: a_stddev_ns | AStdDev (ns) | | real 1 drop 9 | standard deviation of the sample
-- column: q_avg_ns | QAvg (ns) | | real 1 drop 5 | mean queue time
-- column: q_med_ns | QMed (ns) | | real 1 drop 8 | median queue time
-- column: q_min_ns | QMin (ns) | | count drop 8 | shortest queue time
-- column: q_max_ns | QMax (ns) | | count drop 7 | longest queue time
-- column: q_stddev_ns | QStdDev (ns) | | real 1 drop 9 | standard deviation of the sample
-- column: k_avg_ns | KAvg (ns) | | real 1 drop 4 | mean time of the kernel
-- column: k_med_ns | KMed (ns) | | real 1 drop 8 | median time of the kernel
-- column: k_min_ns | KMin (ns) | | count drop 8 | shortest time of the kernel
-- column: k_max_ns | KMax (ns) | | count drop 7 | longest time of the kernel
-- column: k_stddev_ns | KStdDev (ns) | | real 1 drop 9 | standard deviation of the sample
-- column: api | API Name | | text drop 6 | CUDA function that launched the kernel
-- column: kernel | Kernel Name | | text 16 | full demangled name of the kernel
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
WITH execution AS (
  SELECT pid, tid, thread, device, launch, kernel_full, trace, rank,
         launch_time_ns AS api_ns,
         queue_ns, time_ns,
         max(launch_time_ns, start_ns + time_ns - launch_ns) AS total_ns
  FROM attributed_kernels
  WHERE time_ns IS NOT NULL AND launch_time_ns IS NOT NULL)
SELECT pid, tid, device, count(*) AS count, count(queue_ns) AS queued,
       avg(total_ns) AS t_avg_ns, median(total_ns) AS t_med_ns, min(total_ns) AS t_min_ns,
       max(total_ns) AS t_max_ns, ifnull(stddev_samp(total_ns), 0.0) AS t_stddev_ns,
       avg(api_ns) AS a_avg_ns, median(api_ns) AS a_med_ns, min(api_ns) AS a_min_ns,
       max(api_ns) AS a_max_ns, ifnull(stddev_samp(api_ns), 0.0) AS a_stddev_ns,
       avg(queue_ns) AS q_avg_ns, median(queue_ns) AS q_med_ns, min(queue_ns) AS q_min_ns,
       max(queue_ns) AS q_max_ns,
       CASE count(queue_ns) WHEN 1 THEN 0.0 ELSE stddev_samp(queue_ns) END AS q_stddev_ns,
       avg(time_ns) AS k_avg_ns, median(time_ns) AS k_med_ns, min(time_ns) AS k_min_ns,
       max(time_ns) AS k_max_ns, ifnull(stddev_samp(time_ns), 0.0) AS k_stddev_ns,
       launch AS api, kernel_full AS kernel, trace, rank
FROM execution
GROUP BY trace, thread, device, launch, kernel_full
ORDER BY sum(total_ns) DESC, kernel, api, trace, thread, device
