-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `links` of the page: the kernels of each collective on all its ranks.
--
-- help: kernels of collectives that several ranks' traces have
-- missing: no two traces have the same collective
-- column: trace      | Trace      |    | text    | file name of the trace
-- column: rank       | Rank       |    | id      | rank of the process in its job
-- column: device     | Device     |    | id      | CUDA device number of the GPU
-- column: stream     | Stream     |    | id      | CUDA's id of the stream
-- column: collective | Collective |    | id      | number of the collective, the same on all its ranks
-- column: op         | Op         |    | text    | collective, send or receive
-- column: start_ns   | Start      | ns | instant | start on the GPU, since the start of the trace
-- column: time_ns    | Time       | ns | time    | time on the GPU
-- column: wait_ns    | Waits      | ns | time    | part of it in which it waits for another rank to come
-- column: waits_for  | Waits for  |    | text    | rank that comes last, for which the others wait
SELECT trace, rank, device, stream, collective, op, start_ns, time_ns, wait_ns, waits_for
FROM collectives
WHERE collective IS NOT NULL
