-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Table `ranges` of the page: NVTX ranges, outer ones before those inside.
--
-- help: NVTX ranges as the program opened them
-- missing: there are no NVTX ranges
-- column: trace     | Trace  |    | text    | file name of the trace
-- column: rank      | Rank   |    | id      | rank of the process in its job
-- column: text      | Text   |    | text    | text of the range
-- column: domain    | Domain |    | text    | NVTX domain; absent: the default one
-- column: kind      | Kind   |    | text    | push_pop: on a thread's stack; start_end: process-wide
-- column: thread    | Thread |    | id      | thread that opened it, as numbered in the trace
-- column: range_id  | Id     |    | id      | id of the range in trace.db
-- column: parent_id | Parent |    | id      | id of the enclosing range in trace.db
-- column: start_ns  | Start  | ns | instant | start, since the start of the trace
-- column: time_ns   | Time   | ns | time    | time from opening to closing, including nested ranges
SELECT trace, rank, text, domain, kind, thread, range_id, parent_id, start_ns, time_ns
FROM nvtx_ranges
