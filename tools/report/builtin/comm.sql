-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `comm`: collectives by op and size. Their time is that of this GPU's kernels, also while
-- they wait for other ranks; with the traces of these, bandwidths are without waits. Exposed is the part in which the GPU computed nothing; the rest is
-- hidden behind computing. Sends and receives are listed, too.
--
-- help: collectives by op and size: time, bandwidths, and how much is hidden behind computing
-- missing: there are no collectives
-- gpus: each
-- table: op,dir,message_bytes,params,dtype,count,time_ns,wait_ns,alg_gb_per_s,bus_gb_per_s,median_ns,max_ns,exposed_ns,hidden_pct
-- ranks: wait_ns
-- column: trace         | Trace     |      | text          | file name of the trace
-- column: rank          | Rank      |      | id            | rank of the process in its job
-- column: op            | Op        |      | text 10       | collective; of a kernel outside of known collectives the op around it
-- column: dir           | Dir       |      | text 5        | fprop, bprop or update (the optimizer)
-- column: message_bytes | Message   | B    | count         | size of one message, as nccl-tests counts it
-- column: params        | Params    |      | tensors 7      | shapes, or ranks and calls in a group
-- column: dtype         | Type      |      | text 6 drop 3 | data type of the elements
-- column: layer         | Layer     |      | text 14 asked | path of the layers around the launch
-- column: step          | Step      |      | id asked      | number of the step around the launch
-- column: device        | Device    |      | id asked      | CUDA device number of the GPU
-- column: count         | Count     |      | count         | kernels
-- column: bytes         | Total     | B    | count drop 9  | size of all messages; absent if any is unknown
-- column: time_ns       | Time      | ns   | time          | total time on the GPU, also that in which it waits for other ranks
-- column: wait_ns       | Waits     | ns   | time drop 1   | part of the time in which it waits for other ranks; absent: their traces are not given
-- column: waits_for     | Waits for |      | text 7 asked  | rank that comes last, for which the others wait
-- column: alg_gb_per_s  | AlgBW     | GB/s | real 1 drop 3 | message size over the time without waits (nccl-tests' algbw)
-- column: bus_gb_per_s  | BusBW     | GB/s | real 1 drop 2 | algorithm bandwidth times the share each link carries (nccl-tests' busbw)
-- column: median_ns     | Median    | ns   | time drop 4   | median time
-- column: max_ns        | Max       | ns   | time drop 5   | longest time
-- column: exposed_ns    | Exposed   | ns   | time drop 1   | part of the time in which the GPU computed nothing; of collectives that overlap, each has it
-- column: hidden_pct    | Hidden    | %    | real 1 drop 6 | part of the time in which the GPU computed
SELECT trace, rank, op, dir,
       CAST(message_bytes AS INTEGER) AS message_bytes,
       CASE WHEN params NOT LIKE 'bytes=%' THEN params
            WHEN params LIKE '%,%' THEN substr(params, instr(params, ',') + 1) END AS params,
       dtype,
       asked(layer) AS layer,
       asked(step) AS step,
       asked(device) AS device,
       count(*) AS count,
       CAST(message_bytes * count(*) AS INTEGER) AS bytes,
       sum(time_ns) AS time_ns,
       sum(wait_ns) AS wait_ns,
       asked(waits_for) AS waits_for,
       sum(alg_gb_per_s * transfer_ns) / nullif(sum(CASE WHEN alg_gb_per_s IS NOT NULL THEN transfer_ns END), 0)
         AS alg_gb_per_s,
       sum(bus_gb_per_s * transfer_ns) / nullif(sum(CASE WHEN bus_gb_per_s IS NOT NULL THEN transfer_ns END), 0)
         AS bus_gb_per_s,
       median(time_ns) AS median_ns,
       max(time_ns) AS max_ns,
       sum(exposed_ns) AS exposed_ns,
       100.0 * (1 - 1.0 * sum(exposed_ns) / sum(time_ns)) AS hidden_pct
FROM collectives
GROUP BY trace, rank, op, dir, message_bytes, collectives.params, dtype, asked(layer),
         asked(step), asked(device), asked(waits_for)
ORDER BY time_ns DESC NULLS LAST, count DESC, trace, op, dir, message_bytes, params, dtype,
         asked(layer), asked(step), asked(device), asked(waits_for)
