// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All of TraceWriter's statements. Included only by trace_writer.cpp.
#pragma once

// clang-format off
#define PROF_WRITER_SQL(X)                                                                         \
  X(kBegin, "BEGIN IMMEDIATE")                                                                     \
  X(kCommit, "COMMIT")                                                                             \
  X(kRollback, "ROLLBACK")                                                                         \
  X(kMeta, "INSERT OR REPLACE INTO meta VALUES(?,?)")                                              \
  X(kString, "INSERT OR REPLACE INTO string VALUES(?,?)")                                          \
  X(kProcessPid, "UPDATE process SET pid=CAST(? AS INTEGER) WHERE id=1")                           \
  X(kProcessExecutable, "UPDATE process SET executable=? WHERE id=1")                              \
  X(kProcessCommandLine, "UPDATE process SET command_line=? WHERE id=1")                           \
  X(kThread, "INSERT OR REPLACE INTO thread VALUES(?,?,?,?,?)")                                    \
  X(kDevice, "INSERT OR REPLACE INTO device VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)")                    \
  X(kDomain, "INSERT OR REPLACE INTO domain VALUES(?,?,?)")                                        \
  X(kName, "INSERT OR REPLACE INTO name VALUES(?,?,?,?,?)")                                        \
  X(kApiFunction, "INSERT INTO api_function VALUES(?,?,?)")                                        \
  X(kApiCall, "INSERT INTO api_call(correlation,depth,repeat,function_id,thread_id,start_ns,"      \
              "duration_ns,range_id,status) VALUES(?,?,?,?,?,?,?,?,?)")                            \
  X(kApiCallRepeat, "SELECT max(repeat) FROM api_call WHERE correlation=? AND depth=?")            \
  X(kWorkOrigin, "INSERT INTO work_origin VALUES(?,?,?,?)")                                        \
  X(kQueue, "INSERT INTO queue VALUES(?,?,?,?,?)")                                                 \
  X(kLaunchConfig, "INSERT INTO launch_config VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")            \
  X(kKernel, "INSERT INTO kernel(correlation,origin_id,repeat,start_ns,duration_ns,config_id,"     \
             "queue_id) VALUES(?,?,?,?,?,?,?)")                                                    \
  X(kKernelRepeat, "SELECT max(repeat) FROM kernel WHERE correlation=? AND origin_id=?")           \
  X(kMemcpy, "INSERT INTO memcpy(correlation,origin_id,repeat,start_ns,duration_ns,queue_id,"      \
             "bytes,copy_kind,source,destination,async,peer_device,count) "                        \
             "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)")                                                  \
  X(kMemcpyRepeat, "SELECT max(repeat) FROM memcpy WHERE correlation=? AND origin_id=?")           \
  X(kMemset, "INSERT INTO memset(correlation,origin_id,repeat,start_ns,duration_ns,queue_id,"      \
             "bytes,value,memory,async) VALUES(?,?,?,?,?,?,?,?,?,?)")                              \
  X(kMemsetRepeat, "SELECT max(repeat) FROM memset WHERE correlation=? AND origin_id=?")           \
  X(kRange, "INSERT OR REPLACE INTO range(id,parent_id,thread_id,domain_id,kind,text_id,numbers,"  \
            "start_ns,duration_ns,end_thread_id,alias_of_id,category,color_argb,payload_type,"     \
            "payload) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")                                      \
  X(kMark, "INSERT INTO mark(thread_id,domain_id,parent_id,text_id,numbers,time_ns,category,"      \
           "color_argb,payload_type,payload) VALUES(?,?,?,?,?,?,?,?,?,?)")                         \
  X(kPayloadSchema, "INSERT OR REPLACE INTO payload_schema VALUES(?,?,?,?,?)")                     \
  X(kPayloadBlob, "INSERT INTO payload_blob(range_id,domain_id,schema,bytes) VALUES(?,?,?,?)")     \
  X(kSync, "INSERT INTO sync(process_id,correlation,type,context,stream,event,start_ns,"           \
           "duration_ns) VALUES(?,?,?,?,?,?,?,?)")                                                 \
  X(kOverhead, "INSERT INTO overhead(process_id,kind_id,os_tid,start_ns,duration_ns) "             \
               "VALUES(?,?,?,?,?)")                                                                \
  X(kGraphNode, "INSERT OR REPLACE INTO graph_node VALUES(?,?,?,?,?,?,?)")                         \
  X(kClockSync, "INSERT INTO clock_sync(process_id,realtime_ns,monotonic_ns,cupti_ns) "            \
                "VALUES(?,?,?,?)")                                                                 \
  X(kLoss, "INSERT INTO loss VALUES(?,?,?,?,?,?) ON CONFLICT(what) DO UPDATE SET "                 \
           "count=count+excluded.count,first_ns=ifnull(min(first_ns,excluded.first_ns),"           \
           "ifnull(first_ns,excluded.first_ns)),last_ns=ifnull(max(last_ns,excluded.last_ns),"     \
           "ifnull(last_ns,excluded.last_ns)),"                                                    \
           "detail=CASE detail WHEN '' THEN excluded.detail ELSE detail END")
// clang-format on
