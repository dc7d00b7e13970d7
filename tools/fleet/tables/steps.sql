-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `steps` of a store.
--
-- help: steps of each GPU
-- column: rank          | Rank       |    | id    | rank of the process in its job
-- column: host          | Host       |    | text  | host name of the machine
-- column: device        | Device     |    | id    | CUDA device number of the GPU
-- column: step          | Step       |    | id    | number of the step
-- column: is_steady     | Steady     |    | id    | 1: one of the steps that count in prof-report's summary
-- column: period_ns     | Period     | ns | id    | from its first work on the GPU to that of the next step
-- column: computing_ns  | Computing  | ns | id    | part of the period in which a kernel ran that is not a collective
-- column: collective_ns | Collective | ns | id    | part in which a collective ran, and nothing computed: exposed
-- column: copying_ns    | Copying    | ns | id    | part in which only copies and sets ran: exposed
-- column: idle_ns       | Idle       | ns | id    | part in which nothing ran
-- column: kernels       | Kernels    |    | count | GPU kernels
-- column: mfu_pct       | MFU        | %  | real 2 | model FLOPs utilization; absent: no FLOPs are known
-- column: hfu_pct       | HFU        | %  | real 2 | hardware FLOPs utilization
-- column: flops_unknown | Unknown    |    | id    | products, convolutions and attention without known FLOPs: MFU and HFU are lower bounds
SELECT rank, host, device, step, is_steady, period_ns, computing_ns, collective_ns, copying_ns,
       idle_ns, kernels, mfu_pct, hfu_pct, flops_unknown
FROM step_times
