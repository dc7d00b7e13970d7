-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `idle` of a store: the idle time of `steps`, by cause.
--
-- help: idle time in the steps of each GPU, by cause
-- causes: cause
-- column: rank      | Rank   |    | id    | rank of the process in its job
-- column: host      | Host   |    | text  | host name of the machine
-- column: device    | Device |    | id    | CUDA device number of the GPU
-- column: step      | Step   |    | id    | number of the step
-- column: is_steady | Steady |    | id    | 1: one of the steps that count in prof-report's summary
-- column: cause     | Cause  |    | text  | what the host did meanwhile, or that the next work was queued, as in prof-report's gaps
-- column: gaps      | Gaps   |    | count | idle stretches
-- column: idle_ns   | Idle   | ns | id    | their time
SELECT rank, host, device, step, is_steady, cause, count(*) AS gaps, sum(time_ns) AS idle_ns
FROM device_times
WHERE state = 'idle' AND step IS NOT NULL
GROUP BY rank, host, device, step, is_steady, cause
