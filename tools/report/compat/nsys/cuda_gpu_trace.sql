-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_gpu_trace` of Nsight Systems. A megabyte has 1,000,000 bytes. Green contexts are not
-- captured.
--
-- title: CUDA GPU Trace
-- help: every kernel, copy and set, by start
-- csv: headers
-- column: start_ns | Start (ns) | | count | start on the GPU, since the start of the trace
-- column: time_ns | Duration (ns) | | count | time on the GPU
-- column: correlation | CorrId | | id drop 8 | links the work to the call that launched it
-- column: grid_x | GrdX | | id drop 7 | blocks in x
-- column: grid_y | GrdY | | id drop 7 | blocks in y
-- column: grid_z | GrdZ | | id drop 7 | blocks in z
-- column: block_x | BlkX | | id drop 7 | threads per block in x
-- column: block_y | BlkY | | id drop 7 | threads per block in y
-- column: block_z | BlkZ | | id drop 7 | threads per block in z
-- column: registers | Reg/Trd | | id drop 8 | registers per thread
-- column: static_mb | StcSMem (MB) | | real 3 drop 8 | static shared memory per block
-- column: dynamic_mb | DymSMem (MB) | | real 3 drop 8 | dynamic shared memory per block
-- column: mb | Bytes (MB) | | real 3 drop 2 | size of the copy or set
-- column: mb_per_s | Throughput (MB/s) | | real 3 drop 6 | size over time
-- column: source | SrcMemKd | | text drop 6 | memory read by a copy, or written by a set
-- column: destination | DstMemKd | | text drop 6 | memory written by a copy
-- column: device | Device | | text drop 6 | name and CUDA device number of the GPU
-- column: context | Ctx | | id drop 9 | CUPTI's id of the context
-- column: green_context | GreenCtx | | id drop 9 | green context: not captured
-- column: stream | Strm | | id drop 2 | CUDA's id of the stream
-- column: name | Name | | text 16 | kernel, copy or set
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
WITH work AS (
  SELECT start_ns, time_ns, correlation, kind, grid, block, registers, static_shared,
         dynamic_shared, bytes, memory AS read, CASE kind WHEN 'memcpy' THEN memory_to END AS written,
         device, device_name, context, stream, operation, trace, rank, idx
  FROM attributed_work)
SELECT start_ns, time_ns, correlation,
       grid ->> 0 AS grid_x, grid ->> 1 AS grid_y, grid ->> 2 AS grid_z,
       block ->> 0 AS block_x, block ->> 1 AS block_y, block ->> 2 AS block_z,
       registers, static_shared / 1e6 AS static_mb, dynamic_shared / 1e6 AS dynamic_mb,
       CASE WHEN kind <> 'kernel' THEN bytes / 1e6 END AS mb,
       CASE WHEN kind <> 'kernel' THEN bytes * 1e3 / time_ns END AS mb_per_s,
       upper(substr(read, 1, 1)) || replace(substr(read, 2), '_s', ' S') AS source,
       upper(substr(written, 1, 1)) || replace(substr(written, 2), '_s', ' S') AS destination,
       ifnull(device_name || ' ', '') || '(' || device || ')' AS device,
       context, NULL AS green_context, stream, operation AS name, trace, rank
FROM work
ORDER BY start_ns, trace, idx
