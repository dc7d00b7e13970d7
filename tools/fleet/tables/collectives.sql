-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `collectives` of a store: of traces that were added together, since waits are between them.
--
-- help: collectives, sends and receives as each rank sees them, with waits for other ranks
-- column: rank          | Rank      |    | id    | rank of the process in its job
-- column: host          | Host      |    | text  | host name of the machine
-- column: device        | Device    |    | id    | CUDA device number of the GPU
-- column: step          | Step      |    | id    | number of the training step around the launch
-- column: collective    | Number    |    | id    | the same on all ranks of a collective; absent: no other rank's trace has it
-- column: op            | Op        |    | text  | collective: all_reduce, all_gather, ...
-- column: layer         | Layer     |    | text  | path of the layers around the launch
-- column: dir           | Dir       |    | text  | fprop, bprop or update (the optimizer)
-- column: dtype         | Type      |    | text  | data type of the elements
-- column: message_bytes | Message   | B  | real 0 | message size, as nccl-tests counts it
-- column: start_ns      | Arrival   | ns | id    | start on the GPU, since the start of the host's first trace
-- column: time_ns       | Time      | ns | id    | time on the GPU, also that in which it waits
-- column: exposed_ns    | Exposed   | ns | id    | part of it in which the GPU computed nothing
-- column: wait_ns       | Wait      | ns | id    | part in which it waits for another rank to come; absent: not known
-- column: waits_for     | Waits for |    | text  | rank that comes last, for which the others wait
-- column: bus_gb_per_s  | BusBW     | GB/s | real 1 | bus bandwidth without waits, as nccl-tests counts it
SELECT rank, host, device, step, collective, op, layer, dir, dtype, 1.0 * message_bytes AS message_bytes,
       start_ns, time_ns, exposed_ns, wait_ns, waits_for, bus_gb_per_s
FROM collectives
