-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `device_states` of a store: sampled states summed up by what held the clocks down.
--
-- help: clocks, power and temperature of each GPU, by what holds its clocks down
-- column: rank            | Rank     |     | id     | rank of the process in its job
-- column: host            | Host     |     | text   | host name of the machine
-- column: device          | Device   |     | id     | CUDA device number of the GPU
-- column: throttle        | Throttle |     | text   | the gravest reason why the clocks are not higher; empty: none, or unknown
-- column: samples         | Samples  |     | count  | samples with that reason
-- column: sm_clock_mhz    | SM       | MHz | real 0 | mean clock of the multiprocessors
-- column: sm_clock_pct    | SM       | %   | real 1 | the same, as a share of the GPU's highest clock
-- column: memory_clock_mhz | Memory  | MHz | real 0 | mean clock of the memory
-- column: power_w         | Power    | W   | real 1 | mean power of the whole board
-- column: temperature_max_c | Temp   | C   | id     | highest temperature
-- column: memory_used_max_bytes | Memory | B | count | most memory in use by all processes
SELECT rank, host, device, throttle,
       count(*) AS samples,
       avg(sm_clock_mhz) AS sm_clock_mhz,
       avg(sm_clock_pct) AS sm_clock_pct,
       avg(memory_clock_mhz) AS memory_clock_mhz,
       avg(power_w) AS power_w,
       max(temperature_c) AS temperature_max_c,
       max(memory_used_bytes) AS memory_used_max_bytes
FROM device_states
GROUP BY rank, host, device, throttle
