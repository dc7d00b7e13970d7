-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `allocations`: memory that CUDA allocated and released. A framework with a pool of its own
-- allocates rarely, and uses what it has again.
--
-- help: memory that CUDA allocated and released, by kind of memory, layer and op, most bytes first
-- missing: there are no allocations: prof-run --trace memory records them
-- table: memory,layer,op,count,bytes,largest_bytes,releases,released_bytes,unknown_releases,peak_bytes
-- column: trace            | Trace     |   | text          | file name of the trace
-- column: rank             | Rank      |   | id            | rank of the process in its job
-- column: device           | Device    |   | id asked      | CUDA's number of the GPU
-- column: memory           | Memory    |   | text 6        | kind of memory: device, pinned (of the host), managed, ...
-- column: function         | Call      |   | text 7 asked  | CUDA function
-- column: layer            | Layer     |   | text 14       | path of the layers around the call
-- column: op               | Op        |   | text 7        | op around the call
-- column: dir              | Dir       |   | text 5 asked  | fprop, bprop or update (the optimizer)
-- column: step             | Step      |   | id asked      | number of the step around the call
-- column: count            | Count     |   | count         | allocations
-- column: bytes            | Allocated | B | count         | their total size
-- column: largest_bytes    | Largest   | B | count drop 4  | size of the largest
-- column: releases         | Releases  |   | count drop 3  | releases of memory
-- column: released_bytes   | Released  | B | count drop 2  | their total size, as far as known
-- column: unknown_releases | Unknown   |   | count drop 5  | releases of memory whose allocation is not in the captured part of the run
-- column: peak_bytes       | Peak      | B | count drop 1  | most that was allocated after one of these calls, on one GPU, of this kind of memory and by all layers and ops
SELECT trace, rank, asked(device) AS device, memory, asked(function) AS function, layer, op,
       asked(dir) AS dir, asked(step) AS step,
       count(*) FILTER (WHERE operation = 'allocate') AS count,
       sum(bytes) FILTER (WHERE operation = 'allocate') AS bytes,
       max(bytes) FILTER (WHERE operation = 'allocate') AS largest_bytes,
       count(*) FILTER (WHERE operation = 'release') AS releases,
       sum(bytes) FILTER (WHERE operation = 'release') AS released_bytes,
       count(*) FILTER (WHERE operation = 'release' AND allocated_ns IS NULL) AS unknown_releases,
       max(live_bytes) AS peak_bytes
FROM allocations
GROUP BY trace, rank, 3, memory, 5, layer, op, 8, 9
ORDER BY bytes DESC NULLS LAST, released_bytes DESC, trace, memory, layer, op, device, function,
         dir, step
