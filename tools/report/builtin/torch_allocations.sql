-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `torch_allocations`: each block that PyTorch's allocator hands out or takes back, and what it
-- then holds: a line of its memory over time, from a trace of torch.profiler.
--
-- help: blocks that PyTorch's allocator hands out and takes back, in order, with what it then holds
-- missing: there are no allocations of PyTorch: torch.profiler with profile_memory records them
-- table: start_ns,device,range,bytes,allocated_bytes,reserved_bytes
-- column: trace           | Trace     |    | text         | file name of the trace
-- column: rank            | Rank      |    | id           | rank of the process in its job
-- column: start_ns        | Time      | ns | instant      | when, since the start of the trace
-- column: device          | Device    |    | id           | PyTorch's number of the GPU; absent: memory of the host
-- column: range           | Op        |    | text 14      | innermost range around it
-- column: bytes           | Block     | B  | count        | size of the block; below 0: it is taken back
-- column: allocated_bytes | Allocated | B  | count        | then in tensors
-- column: reserved_bytes  | Reserved  | B  | count drop 1 | then held by the allocator, in tensors and free
WITH blocks AS (
       SELECT trace, rank, start_ns, idx, range, text -> '$.memory' AS block FROM nvtx_marks
       WHERE text LIKE '{"v":1,"mod":"prof","memory":{%}}' AND json_valid(text))
SELECT trace, rank, start_ns, block ->> '$.device' AS device, range,
       block ->> '$.bytes' AS bytes, block ->> '$.allocated' AS allocated_bytes,
       block ->> '$.reserved' AS reserved_bytes
FROM blocks
ORDER BY trace, idx
