-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `idle` of the page: when each GPU is idle, and why.
--
-- help: when each GPU is idle, and why
-- missing: no GPU is idle between its first work and its last
-- causes: cause
-- column: trace    | Trace  |    | text    | file name of the trace
-- column: rank     | Rank   |    | id      | rank of the process in its job
-- column: device   | Device |    | id      | CUDA device number of the GPU
-- column: step     | Step   |    | id      | step in whose period it lies; absent: in none
-- column: cause    | Cause  |    | text    | what the host did meanwhile, or that the next work was queued
-- column: op       | Op     |    | text    | op that launched the work that ends it
-- column: layer    | Layer  |    | text    | layer of the work that ends it
-- column: start_ns | Start  | ns | instant | start, since the start of the trace
-- column: time_ns  | Time   | ns | time    | duration
SELECT trace, rank, device, step, cause, op, layer, start_ns, time_ns
FROM device_times
WHERE state = 'idle'
