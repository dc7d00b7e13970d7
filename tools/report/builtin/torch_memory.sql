-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `torch_memory`: what PyTorch's allocator holds at the end of each step, as prof_torch reports
-- it in marks (tools/python/prof_torch/allocator.py), and what a trace of torch.profiler has of each
-- block (profile_memory). It uses blocks again, which CUDA does not see.
--
-- help: memory held by PyTorch's allocator at the end of each step
-- missing: the trace has no records of PyTorch's allocator: prof-run --trace memory with prof_torch makes them, and torch.profiler with profile_memory
-- table: step,allocated_bytes,peak_bytes,growth_bytes,reserved_bytes,retries
-- column: trace           | Trace     |   | text         | file name of the trace
-- column: rank            | Rank      |   | id           | rank of the process in its job
-- column: device          | Device    |   | id           | PyTorch's number of the GPU
-- column: step            | Step      |   | id           | number of the step
-- column: allocated_bytes | Allocated | B | count        | in tensors at the step's end
-- column: peak_bytes      | Peak      | B | count        | most in tensors since the program began, or reset its peak; in the step, where the trace is torch.profiler's
-- column: growth_bytes    | Growth    | B | count drop 2 | by how much the step has raised that peak; below 0 where the program has reset it; absent: of the first step
-- column: reserved_bytes  | Reserved  | B | count drop 1 | that the allocator holds, in tensors and free
-- column: retries         | Retries   |   | count drop 3 | allocations so far that failed until cached blocks were released
WITH report AS (
       SELECT trace, rank, start_ns, idx, text -> '$.allocator' AS facts, text -> '$.memory' AS block
       FROM nvtx_marks
       WHERE (text LIKE '{"v":1,"mod":"prof","allocator":{%}}' OR
              text LIKE '{"v":1,"mod":"prof","memory":{"device":%}}') AND json_valid(text)),
     -- A step that is open when a block is handed out, or else none. Steps do not overlap. Without
     -- blocks, millions of ranges are not read.
     steps AS (
       SELECT trace, start_ns, start_ns + time_ns AS end_ns, step_number(text) AS step
       FROM (SELECT 1 FROM report WHERE block IS NOT NULL LIMIT 1) CROSS JOIN nvtx_ranges
       WHERE step_number(text) IS NOT NULL),
     begun AS (
       SELECT *, max(begin_ns) OVER (PARTITION BY trace ORDER BY start_ns, is_block) AS step_ns
       FROM (SELECT trace, rank, block, idx, start_ns, 1 AS is_block, NULL AS begin_ns
             FROM report WHERE block IS NOT NULL
             UNION ALL
             SELECT trace, NULL, NULL, NULL, start_ns, 0, start_ns FROM steps)),
     blocks AS (
       SELECT trace, rank, block ->> '$.device' AS device, step, start_ns, idx,
              block ->> '$.allocated' AS allocated_bytes, block ->> '$.reserved' AS reserved_bytes,
              max(block ->> '$.allocated') OVER (PARTITION BY trace, block ->> '$.device', step)
                  AS peak_bytes
       FROM (SELECT begun.*, steps.step
             FROM begun LEFT JOIN steps ON steps.trace = begun.trace AND
                  steps.start_ns = begun.step_ns AND begun.start_ns < steps.end_ns
             WHERE begun.is_block))
SELECT trace, rank, device, step, allocated_bytes, peak_bytes, growth_bytes, reserved_bytes, retries
FROM (SELECT trace, rank, facts ->> '$.device' AS device, facts ->> '$.step' AS step, start_ns,
             facts ->> '$.allocated' AS allocated_bytes, facts ->> '$.peak_allocated' AS peak_bytes,
             (facts ->> '$.peak_allocated') - lag(facts ->> '$.peak_allocated')
                 OVER (PARTITION BY trace, facts ->> '$.device' ORDER BY start_ns) AS growth_bytes,
             facts ->> '$.reserved' AS reserved_bytes, facts ->> '$.retries' AS retries
      FROM report WHERE facts IS NOT NULL
      UNION ALL
      -- The last block of the step shows what is held then: idx is in the order of time.
      SELECT trace, rank, device, step, start_ns, allocated_bytes, peak_bytes, NULL, reserved_bytes,
             NULL
      FROM (SELECT *, max(idx) FROM blocks GROUP BY trace, device, step))
ORDER BY trace, start_ns
