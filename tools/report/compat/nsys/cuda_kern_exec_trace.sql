-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_kern_exec_trace` of Nsight Systems. The total runs from the start of the launching
-- call to its end or the kernel's, whichever is later. A kernel that starts before its call has
-- returned has no queue time.
--
-- title: CUDA Kernel Launch & Exec Time Trace
-- help: launching, waiting and running of every kernel, by start of the launching call
-- csv: headers
-- column: api_start_ns | API Start (ns) | | count | start of the launching call
-- column: api_ns | API Dur (ns) | | count | duration of that call
-- column: queue_start_ns | Queue Start (ns) | | count drop 8 | end of the call, if the kernel is later
-- column: queue_ns | Queue Dur (ns) | | count drop 2 | time from there to the kernel's start
-- column: kernel_start_ns | Kernel Start (ns) | | count drop 8 | start of the kernel on the GPU
-- column: kernel_ns | Kernel Dur (ns) | | count | time on the GPU
-- column: total_ns | Total Dur (ns) | | count drop 6 | start of the call to end of call or kernel
-- column: pid | PID | | id drop 8 | operating system id of the launching process
-- column: tid | TID | | id drop 8 | operating system id of the launching thread
-- column: device | DevId | | id drop 6 | CUDA device number of the GPU
-- column: api | API Function | | text drop 6 | CUDA function that launched the kernel
-- column: grid | GridXYZ | | text 16 drop 7 | blocks in x, y and z
-- column: block | BlockXYZ | | text 16 drop 7 | threads per block in x, y and z
-- column: kernel | Kernel Name | | text 16 | full demangled name of the kernel
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
WITH execution AS (
  SELECT idx, launch_ns, start_ns, pid, tid, device, launch, grid, block, kernel_full, trace, rank,
         launch_time_ns AS api_ns,
         queue_ns, time_ns,
         max(launch_time_ns, start_ns + time_ns - launch_ns) AS total_ns
  FROM attributed_kernels
  WHERE time_ns IS NOT NULL AND launch_time_ns IS NOT NULL)
SELECT launch_ns AS api_start_ns, api_ns,
       CASE WHEN queue_ns IS NOT NULL THEN launch_ns + api_ns END AS queue_start_ns, queue_ns,
       start_ns AS kernel_start_ns, time_ns AS kernel_ns, total_ns, pid, tid, device,
       launch AS api,
       CASE WHEN grid IS NOT NULL
            THEN printf('%4d %4d %4d', grid ->> 0, grid ->> 1, grid ->> 2) END AS grid,
       CASE WHEN block IS NOT NULL
            THEN printf('%4d %4d %4d', block ->> 0, block ->> 1, block ->> 2) END AS block,
       kernel_full AS kernel, trace, rank
FROM execution
ORDER BY api_start_ns, trace, idx
