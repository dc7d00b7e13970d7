-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `cuda_api_trace` of Nsight Systems. Calls that another recorded call made are left out.
-- The priority of threads is not captured.
--
-- title: CUDA API Trace
-- help: every CUDA call that the program made, by start
-- csv: headers
-- column: start_ns | Start (ns) | | count | start, since the start of the trace
-- column: time_ns | Duration (ns) | | count | duration of the call
-- column: name | Name | | text 16 | CUDA function
-- column: result | Result | | id drop 3 | cudaError_t or CUresult returned by the call
-- column: correlation | CorrID | | id drop 4 | links the call to its GPU work
-- column: pid | Pid | | id drop 6 | operating system id of the process
-- column: tid | Tid | | id drop 5 | operating system id of the thread
-- column: priority | T-Pri | | id drop 9 | priority of the thread: not captured
-- column: thread_name | Thread Name | | text drop 7 | name of the thread
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
SELECT start_ns, time_ns, function AS name, status AS result, correlation, pid, tid,
       NULL AS priority, thread_name, trace, rank
FROM cuda_calls
WHERE depth = 0
ORDER BY start_ns, trace, idx
