-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `memory`: memory copies and sets. Of pageable memory even cudaMemcpyAsync may return late:
-- the time of the calls shows whether the program waits.
--
-- help: memory copies and sets by direction, memories, call and op, most time first
-- missing: there are no memory copies and sets
-- table: copy,memory,memory_to,launch,op,count,bytes,time_ns,share_pct,gb_per_s,min_bytes,max_bytes,call_ns
-- column: trace     | Trace    |    | text          | file name of the trace
-- column: rank      | Rank     |    | id            | rank of the process in its job
-- column: copy      | Copy     |    | text 11       | memcpy HtoD, DtoH, DtoD, ... (H: host, D: device, P: peer device, A: array), or memset
-- column: memory    | Memory   |    | text 6        | memory read by a copy or written by a set: pageable, pinned, device, managed, ...
-- column: memory_to | To       |    | text 6        | memory written by a copy
-- column: launch    | Call     |    | text 7        | CUDA function; one named Async may return before the end, unless the memory is pageable
-- column: op        | Op       |    | text 7        | op for which it is
-- column: dir       | Dir      |    | text 5 asked  | fprop, bprop or update (the optimizer)
-- column: layer     | Layer    |    | text 14 asked | path of the layers around the launch
-- column: step      | Step     |    | id asked      | number of the step around the launch
-- column: count     | Count    |    | count         | copies or sets
-- column: bytes     | Bytes    | B  | count drop 1  | their total size
-- column: time_ns   | Time     | ns | time          | their total time on the GPU
-- column: share_pct | Share    | %  | real 1 drop 4 | share of the time of all kernels, copies and sets
-- column: gb_per_s  | GB/s     |    | real 1 drop 3 | bytes over time
-- column: min_bytes | Smallest | B  | count drop 6  | size of the smallest
-- column: max_bytes | Largest  | B  | count drop 5  | size of the largest
-- column: call_ns   | In calls | ns | time drop 2   | total time of the calls, on the CPU; absent for graphs, whose calls launch other work, too
WITH part AS (
       SELECT trace, rank, kind,
              CASE WHEN kind <> 'kernel' THEN trim(kernel, '[]') END AS copy,
              memory, memory_to,
              CASE WHEN kind <> 'kernel' THEN launch END AS launch,
              CASE WHEN kind <> 'kernel' THEN op END AS op,
              CASE WHEN kind <> 'kernel' THEN asked(dir) END AS dir,
              CASE WHEN kind <> 'kernel' THEN asked(layer) END AS layer,
              CASE WHEN kind <> 'kernel' THEN asked(step) END AS step,
              count(*) AS count,
              sum(bytes) AS bytes,
              sum(time_ns) AS time_ns,
              sum(CASE WHEN time_ns IS NOT NULL THEN bytes END) AS timed_bytes,
              min(bytes) AS min_bytes,
              max(bytes) AS max_bytes,
              sum(CASE origin WHEN 'api' THEN launch_time_ns END) AS call_ns
       FROM attributed_work
       GROUP BY trace, rank, kind, copy, memory, memory_to, 7, 8, 9, 10, 11)
SELECT trace, rank, copy, memory, memory_to, launch, op, dir, layer, step, count,
       CAST(bytes AS INTEGER) AS bytes,
       time_ns AS time_ns,
       100.0 * time_ns / all_ns AS share_pct,
       1.0 * timed_bytes / time_ns AS gb_per_s,
       CAST(min_bytes AS INTEGER) AS min_bytes,
       CAST(max_bytes AS INTEGER) AS max_bytes,
       call_ns AS call_ns
FROM (SELECT *, sum(time_ns) OVER () AS all_ns FROM part)
WHERE kind <> 'kernel'
ORDER BY time_ns DESC NULLS LAST, count DESC, trace, copy, memory, memory_to, launch, op, dir, layer,
         step
