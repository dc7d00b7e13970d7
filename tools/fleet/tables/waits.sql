-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `waits` of a store: of traces that were added together, since waits are between them.
--
-- help: collectives in the steps of each GPU while it computes nothing: waits for other ranks, and transfers
-- column: rank         | Rank      |    | id | rank of the process in its job
-- column: host         | Host      |    | text | host name of the machine
-- column: device       | Device    |    | id | CUDA device number of the GPU
-- column: step         | Step      |    | id | number of the step
-- column: is_steady    | Steady    |    | id | 1: one of the steps that count in prof-report's summary
-- column: waits_ns     | Waits     | ns | id | part of the period in which it waits in a collective, and nothing computes
-- column: transfers_ns | Transfers | ns | id | the other part of collectives in which nothing computes
SELECT rank, host, device, step, is_steady, waits_ns, collective_ns - waits_ns AS transfers_ns
FROM step_times
WHERE waits_ns IS NOT NULL
