-- SPDX-FileCopyrightText: The libprof authors
-- SPDX-License-Identifier: Apache-2.0
--
-- Report `nvtx_pushpop_trace` of Nsight Systems.
--
-- title: NVTX Push/Pop Range Trace
-- help: every push/pop range with the ranges directly inside it, by start
-- csv: headers
-- column: start_ns | Start (ns) | | count | start, since the start of the trace
-- column: end_ns | End (ns) | | count drop 7 | end; absent: never closed
-- column: time_ns | Duration (ns) | | count | time from opening to closing
-- column: child_ns | DurChild (ns) | | count drop 6 | time of the ranges directly inside it
-- column: own_ns | DurNonChild (ns) | | count drop 4 | the rest of its time
-- column: name | Name | | text 16 | domain and text of the range
-- column: pid | PID | | id drop 7 | operating system id of the process
-- column: tid | TID | | id drop 7 | operating system id of the thread
-- column: level | Lvl | | id drop 2 | number of enclosing ranges
-- column: children | NumChild | | count drop 3 | ranges directly inside it
-- column: range_id | RangeId | | id drop 8 | id of the range in trace.db
-- column: parent_id | ParentId | | id drop 8 | id of the enclosing range
-- column: path | RangeStack | | text drop 9 | ids of the enclosing ranges, outermost first; itself last
-- column: name_tree | NameTree | | text drop 7 | the name, behind two dashes a level
-- column: trace | Trace | | text | file name of the trace
-- column: rank | Rank | | id | rank of the process in its job
SELECT start_ns, start_ns + time_ns AS end_ns, time_ns, children_ns AS child_ns,
       time_ns - children_ns AS own_ns, name, pid, tid, level, children, range_id, parent_id, path,
       replace(hex(zeroblob(min(level, 64))), '00', '--') || name AS name_tree, trace, rank
FROM nvtx_nesting
ORDER BY start_ns, range_id
