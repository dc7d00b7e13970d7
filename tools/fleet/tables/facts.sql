-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `facts` of a store: GPU work summed up.
--
-- help: GPU work by rank, GPU, step, layer, op, direction, shapes and kernel
-- column: rank       | Rank   |    | id    | rank of the process in its job
-- column: host       | Host   |    | text  | host name of the machine
-- column: device     | Device |    | id    | CUDA device number of the GPU
-- column: step       | Step   |    | id    | number of the training step around the launches
-- column: is_steady  | Steady |    | id    | 1: of a steady step, as in prof-report's summary
-- column: layer      | Layer  |    | text  | path of the layers around the launch, separated by ':'
-- column: op         | Op     |    | text  | op that launched the work
-- column: dir        | Dir    |    | text  | fprop, bprop or update (the optimizer)
-- column: shapes     | Shapes |    | text  | sizes of the matrix product, or shapes
-- column: dtype      | Type   |    | text  | data type the op computes in
-- column: kernel     | Kernel |    | text  | short name of the kernel, or [memcpy HtoD], [memset]
-- column: kind       | Kind   |    | text  | kernel, memcpy or memset
-- column: is_collective | Collective | | id | 1: it moves data between GPUs, and its time may be a wait for others
-- column: count      | Count  |    | count | kernels, copies or sets
-- column: timed      | Timed  |    | count | of these, those whose time is known
-- column: sum_ns     | Time   | ns | id    | their time on the GPU
-- column: min_ns     | Min    | ns | id    | shortest of them
-- column: max_ns     | Max    | ns | id    | longest of them
-- column: squares    | Squares | ns^2 | real 0 | sum of their squared times, for spreads
-- column: flops      | FLOPs  |    | real 0 | floating-point operations of those where they are known; absent: of none
-- column: flops_ns   | Time   | ns | id    | time of those whose FLOPs are known
-- column: bytes      | Bytes  | B  | real 0 | bytes of those where they are known; absent: of none
SELECT work.rank, work.host, work.device, work.step, steady.is_steady, layer, op, dir,
       params AS shapes, dtype, kernel, kind,
       coalesce(family LIKE 'nccl%', 0) AS is_collective,
       count(*) AS count,
       count(time_ns) AS timed,
       sum(time_ns) AS sum_ns,
       min(time_ns) AS min_ns,
       max(time_ns) AS max_ns,
       sum(1.0 * time_ns * time_ns) AS squares,
       1.0 * sum(flops) AS flops,
       sum(CASE WHEN flops IS NOT NULL THEN time_ns END) AS flops_ns,
       1.0 * sum(bytes) AS bytes
FROM attributed_work AS work
LEFT JOIN (SELECT device AS of_device, step AS of_step, max(is_steady) AS is_steady
           FROM step_times GROUP BY device, step) AS steady
       ON of_device = work.device AND of_step = work.step
GROUP BY work.rank, work.host, work.device, work.step, steady.is_steady, layer, op, dir, params, dtype,
         kernel, kind, coalesce(family LIKE 'nccl%', 0)
