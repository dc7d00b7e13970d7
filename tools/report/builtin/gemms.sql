-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `gemms`: each distinct matrix product and the kernel that computes it. docs/conventions.md
-- (Matrix products) defines wave efficiency, possible use of tensor cores, and padding.
--
-- Products of 16 bits or fewer run best on tensor cores if each leading dimension is a multiple of
-- 16 bytes (NVIDIA, Matrix Multiplication Background, Tensor Core Requirements). In cuBLAS's
-- column-major terms that of A is K if A is transposed, else M; that of B N if B is, else K; that of
-- the result M. Where the kernel's name does not state the layout, M and K are checked. Tensors may
-- have other strides than their sizes imply.
--
-- help: distinct matrix products with rate, share of the peak, tensor cores, alignment, waves and what padding gains
-- missing: no matrix product is known
-- table: m,n,k,batch,dtype,layout,count,time_ns,tflop_per_s,peak_pct,tc,tc_possible,unaligned,wave_pct,kernel,tile,padded,padded_pct
-- column: trace       | Trace       |         | text          | file name of the trace
-- column: rank        | Rank        |         | id            | rank of the process in its job
-- column: m           | M           |         | id            | rows of the product in cuBLAS's terms (column-major)
-- column: n           | N           |         | id            | columns of the product in cuBLAS's terms
-- column: k           | K           |         | id            | inner size of the product
-- column: batch       | Batch       |         | id drop 4     | number of products in the batch
-- column: dtype       | Type        |         | text 7        | data type the op computes in
-- column: layout      | Layout      |         | text 2 drop 6 | layout of A and B in cuBLAS's terms, from the kernel's name; tn: A is transposed
-- column: count       | Count       |         | count drop 3  | kernels that compute it
-- column: time_ns     | Time        | ns      | time          | their total time on the GPU
-- column: tflop_per_s | TFLOP/s     |         | real 1 drop 1 | FLOPs over time
-- column: peak_pct    | Peak        | %       | real 1        | time for the arithmetic alone at the peak of the type, over the actual time
-- column: tc          | TC          |         | id drop 2     | uses tensor cores: 1 or 0, from the kernel's name
-- column: tc_possible | TC possible |         | text 6 drop 7 | whether it could: yes; tf32: if the program allows TF32; padded: with sizes that are multiples of 16 bytes; no: this GPU has none for the type
-- column: unaligned   | Unaligned   |         | text 1        | leading dimensions, by the sizes of the op, that are no multiple of 16 bytes; none: all are; absent: not known
-- column: wave_pct    | Waves       | %       | real 1 drop 4 | wave efficiency: tiles over those that the GPU could compute in as many waves; absent: not known
-- column: kernel      | Kernel      |         | text 8 drop 5 | short name of the kernel
-- column: tile        | Tile        |         | text 5 drop 6 | tile computed by a thread block, MxNxK, from the kernel's name
-- column: tiles       | Tiles       |         | count drop 9  | tiles of the result and of the batch, in whole clusters
-- column: slots       | Slots       |         | count drop 9  | tiles that the GPU computes at once, by theoretical occupancy: a wave
-- column: split_k     | SplitK      |         | id drop 9     | several blocks share the sum over K: 1 or 0, from the kernel's name
-- column: padded      | Padded to   |         | text 5 drop 8 | sizes MxNxK of the fastest product that this one would be with padding, if one ran
-- column: padded_pct  | Padded      | %       | real 1 drop 8 | time of that product over the time of this one; absent where several kernels share one of them
WITH product AS MATERIALIZED (
       SELECT trace, rank, m, n, k, batch, dtype, layout, kernel, tile, tc, split_k,
              max(device_name) AS gpu, max(tensor_type) AS tensor_type,
              count(*) AS count, sum(time_ns) AS time_ns,
              CASE WHEN min(share) > 0.999 THEN 1.0 * sum(time_ns) / sum(share) END AS product_ns,
              sum(flops) / nullif(sum(time_ns) FILTER (WHERE flops IS NOT NULL), 0) / 1e3
                AS tflop_per_s,
              sum(time_ns * peak_pct) / nullif(sum(time_ns) FILTER (WHERE peak_pct IS NOT NULL), 0)
                AS peak_pct,
              max(tiles) AS tiles, max(slots) AS slots,
              100.0 * total(tiles) / nullif(total(slots * ((tiles + slots - 1) / slots)), 0)
                AS wave_pct,
              CASE dtype WHEN 'float64' THEN 2 WHEN 'float32' THEN 4 WHEN 'float16' THEN 8
                         WHEN 'bfloat16' THEN 8
                         WHEN 'float8_e4m3fn' THEN 16 WHEN 'float8_e5m2' THEN 16
                         WHEN 'int8' THEN 16 END AS elements
       FROM attributed_kernels
       WHERE k IS NOT NULL AND role = 'main' AND part IS NOT 'bias'
       GROUP BY trace, rank, m, n, k, batch, dtype, layout, kernel, tile, tc, split_k),
     aligned AS (
       SELECT *, CASE WHEN elements IS NULL THEN NULL
                      WHEN odd <> '' THEN odd
                      WHEN layout IS NULL AND n % elements <> 0 THEN NULL
                      ELSE 'none' END AS unaligned
       FROM (SELECT *, CASE WHEN m % elements <> 0 THEN 'M' ELSE '' END
                       || CASE WHEN layout LIKE '_t' AND n % elements <> 0 THEN 'N' ELSE '' END
                       || CASE WHEN layout IS NOT 'nt' AND k % elements <> 0 THEN 'K' ELSE '' END
                       AS odd
             FROM product)),
     multiple(size) AS (VALUES (1), (8), (64)),
     padded AS (
       SELECT p.trace, p.rank, p.m, p.n, p.k, p.batch, p.dtype, p.layout,
              q.m || 'x' || q.n || 'x' || q.k AS sizes, min(q.product_ns) AS product_ns
       FROM (SELECT DISTINCT trace, rank, m, n, k, batch, dtype, layout, gpu FROM product) p
       CROSS JOIN multiple of_m CROSS JOIN multiple of_n CROSS JOIN multiple of_k
       CROSS JOIN product q ON q.m = (p.m + of_m.size - 1) / of_m.size * of_m.size
         AND q.n = (p.n + of_n.size - 1) / of_n.size * of_n.size
         AND q.k = (p.k + of_k.size - 1) / of_k.size * of_k.size
         AND q.batch = p.batch AND q.dtype = p.dtype AND q.layout = p.layout AND q.gpu = p.gpu
       WHERE q.product_ns IS NOT NULL
         AND 1.0 * q.m * q.n * q.k > 1.0 * p.m * p.n * p.k
         AND 1.0 * q.m * q.n * q.k <= 1.25 * p.m * p.n * p.k
       GROUP BY p.trace, p.rank, p.m, p.n, p.k, p.batch, p.dtype, p.layout)
SELECT a.trace, a.rank, a.m, a.n, a.k, a.batch, a.dtype, a.layout, count,
       time_ns AS time_ns,
       tflop_per_s, peak_pct, tc,
       CASE WHEN tc = 1 THEN 'yes'
            WHEN tensor_type = 'none' THEN 'no'
            WHEN tensor_type LIKE 'float8%' AND (a.m % 16 + a.n % 16 + a.k % 16) > 0 THEN 'padded'
            WHEN tensor_type = 'tfloat32' AND a.dtype = 'float32' THEN 'tf32'
            WHEN tensor_type IS NOT NULL THEN 'yes' END AS tc_possible,
       unaligned, wave_pct, kernel, tile, tiles, slots, split_k,
       padded.sizes AS padded,
       100.0 * padded.product_ns / a.product_ns AS padded_pct
FROM aligned a
LEFT JOIN padded ON padded.trace = a.trace AND padded.rank IS a.rank AND padded.m = a.m
  AND padded.n = a.n AND padded.k = a.k AND padded.batch = a.batch AND padded.dtype = a.dtype
  AND padded.layout = a.layout
ORDER BY time_ns DESC, a.trace, a.m, a.n, a.k
