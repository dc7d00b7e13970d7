-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `gemms`: each distinct matrix product and the kernel that computes it. Products of 16 bits
-- or fewer run best on tensor cores if each leading dimension is a multiple of 16 bytes (NVIDIA,
-- Matrix Multiplication Background, Tensor Core Requirements). In cuBLAS's column-major terms that of
-- A is K if A is transposed, else M; that of B N if B is, else K; that of the result M. Where the
-- kernel's name does not tell the layout, M and K are checked. Tensors may have other strides than
-- their sizes tell.
--
-- help: distinct matrix products with rate, share of the peak, tensor cores and alignment
-- missing: no matrix product is known
-- table: m,n,k,batch,dtype,layout,count,time_us,tflop_per_s,peak_pct,tc,unaligned,kernel,tile
-- column: trace       | Trace     |         | text          | file name of the trace
-- column: rank        | Rank      |         | id            | rank of the process in its job
-- column: m           | M         |         | id            | rows of the product in cuBLAS's terms (column-major)
-- column: n           | N         |         | id            | columns of the product in cuBLAS's terms
-- column: k           | K         |         | id            | inner size of the product
-- column: batch       | Batch     |         | id drop 4     | number of products in the batch
-- column: dtype       | Type      |         | text 7        | data type the op computes in
-- column: layout      | Layout    |         | text 2 drop 6 | layout of A and B in cuBLAS's terms, from the kernel's name; tn: A is transposed
-- column: count       | Count     |         | count drop 3  | kernels that compute it
-- column: time_us     | Time      | us      | real 3        | their total time on the GPU
-- column: tflop_per_s | TFLOP/s   |         | real 1 drop 1 | FLOPs over time
-- column: peak_pct    | Peak      | %       | real 1        | time for the arithmetic alone at the peak of the type, over the actual time
-- column: tc          | TC        |         | id drop 2     | uses tensor cores: 1 or 0, from the kernel's name
-- column: unaligned   | Unaligned |         | text 1        | leading dimensions, by the sizes of the op, that are no multiple of 16 bytes; none: all are; absent: not known
-- column: kernel      | Kernel    |         | text 8 drop 5 | short name of the kernel
-- column: tile        | Tile      |         | text 5 drop 6 | tile computed by a thread block, MxNxK, from the kernel's name
-- column: split_k     | SplitK    |         | id drop 9     | several blocks share the sum over K: 1 or 0, from the kernel's name
WITH product AS (
       SELECT trace, rank, m, n, k, batch, dtype, layout, kernel, tile, tc, split_k, time_ns, flops,
              time_ns * peak_pct / 100 AS peak_ns,
              CASE dtype WHEN 'float64' THEN 2 WHEN 'float32' THEN 4 WHEN 'float16' THEN 8
                         WHEN 'bfloat16' THEN 8
                         WHEN 'float8_e4m3fn' THEN 16 WHEN 'float8_e5m2' THEN 16
                         WHEN 'int8' THEN 16 END AS elements
       FROM attributed_kernels
       WHERE k IS NOT NULL AND role = 'main' AND part IS NOT 'bias')
SELECT trace, rank, m, n, k, batch, dtype, layout,
       count(*) AS count,
       sum(time_ns) / 1e3 AS time_us,
       sum(flops) / nullif(sum(CASE WHEN flops IS NOT NULL THEN time_ns END), 0) / 1e3
         AS tflop_per_s,
       100.0 * sum(peak_ns) / nullif(sum(CASE WHEN peak_ns IS NOT NULL THEN time_ns END), 0)
         AS peak_pct,
       tc,
       CASE WHEN elements IS NULL THEN NULL
            WHEN odd <> '' THEN odd
            WHEN layout IS NULL AND n % elements <> 0 THEN NULL
            ELSE 'none' END AS unaligned,
       kernel, tile, split_k
FROM (SELECT *, CASE WHEN m % elements <> 0 THEN 'M' ELSE '' END
                || CASE WHEN layout LIKE '_t' AND n % elements <> 0 THEN 'N' ELSE '' END
                || CASE WHEN layout IS NOT 'nt' AND k % elements <> 0 THEN 'K' ELSE '' END AS odd
      FROM product)
GROUP BY trace, rank, m, n, k, batch, dtype, layout, kernel, tile, tc, split_k
ORDER BY time_us DESC, trace, m, n, k
