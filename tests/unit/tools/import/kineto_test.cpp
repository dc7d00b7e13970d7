// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the events of torch.profiler, and of files that are not as they should be.
#include "tools/import/kineto/kineto_import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/source/recording_sink.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tools/import/kineto/event_reader.hpp"

namespace prof::importers {
namespace {

const std::string kOp =
    R"({"ph":"X","cat":"cpu_op","name":"aten::addmm","pid":9,"tid":11,"ts":100.5,"dur":50,"args":)"
    R"({"External id":7,"Sequence number":12,"Fwd thread id":0,"Input type":["c10::Half",)"
    R"("TensorList","Scalar","","long int"],"Input Dims":[[2,3],[[4],[5]],[],[],[]],)"
    R"("Input Strides":[[3,1],[[1],[1]],[],[],[]],"Concrete Inputs":["","","True","",""]}})";
const std::string kCall =
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":11,"ts":110,)"
    R"("dur":5,"args":{"External id":7,"correlation":31}})";
const std::string kKernel =
    R"x({"ph":"X","cat":"kernel","name":"void k<1>(int)","pid":0,"tid":7,"ts":200.001,"dur":4.25,)x"
    R"("args":{"External id":7,"device":1,"context":2,"stream":7,"correlation":31,)"
    R"("registers per thread":22,"shared memory":48,"grid":[1,2,3],"block":[128,1,1]}})";

class Kineto : public testing::Test {
 protected:
  std::string import_text(const std::string& text) {
    write_file(path_, text);
    const auto imported = import_kineto({path_, folder_.path()}, sink_);
    std::string line = imported ? imported->warning : imported.error().to_line();
    if (line.starts_with(path_)) line.erase(0, path_.size() + 2);
    return line;
  }
  std::string import_events(const std::string& events, const std::string& facts = "") {
    return import_text("{" + facts + "\"traceEvents\":[" + events + "]}");
  }
  template <typename Record>
  [[nodiscard]] std::vector<Record> all() const {
    return sink_.all<Record>();
  }
  /// What is stated of the ranges that are ops.
  [[nodiscard]] std::vector<OpFact> facts() const {
    std::vector<OpFact> found;
    for (const auto& range : all<RangeRecord>()) {
      if (range.op.signature) found.push_back(range.op);
    }
    return found;
  }
  [[nodiscard]] std::string text(StringId id) const { return sink_.text(id); }
  [[nodiscard]] std::map<std::string, std::string> metas() const {
    std::map<std::string, std::string> found;
    for (const auto& meta : all<MetaRecord>()) found[std::string(meta.key)] = meta.value;
    return found;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("trace.json");
  RecordingSink sink_;
};

TEST_F(Kineto, NumbersAreNeverCutToFit) {
  std::string kernel = kKernel;
  const auto put = [&kernel](std::string_view old, std::string_view now) {
    kernel.replace(kernel.find(old), old.size(), now);
  };
  put("\"device\":1", "\"device\":4294967297");
  put("\"stream\":7", "\"stream\":4294967303");
  put("[1,2,3]", "[4294967295,4294967298,99999999999999999999]");
  put("\"shared memory\":48", "\"shared memory\":-1");
  put("\"correlation\":31", "\"correlation\":4294967327");
  EXPECT_EQ(import_events(kernel + "," + kCall + "," + kOp),
            "3 numbers that are larger than any of its kind, taken as unknown");
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].device, 0u);
  EXPECT_EQ(kernels[0].stream, 1U << 31) << "a number of its own";
  EXPECT_EQ(kernels[0].grid, (Dim3{4294967295, 0, 0}));
  EXPECT_EQ(kernels[0].dynamic_shared_bytes, 0u);
  EXPECT_EQ(kernels[0].correlation, 4294967327u) << "not that of another launch";
  EXPECT_EQ(all<LossRecord>().at(0).count, 3u);
}

TEST_F(Kineto, CorrelationsHaveAllTheirBits) {
  std::string call = kCall, kernel = kKernel;
  call.replace(call.find("31}"), 2, "-5");
  kernel.replace(kernel.find("\"correlation\":31"), 16, "\"correlation\":4294967291");
  EXPECT_EQ(import_events(kernel + "," + call + "," + kOp), "");
  EXPECT_EQ(all<ApiRecord>().at(0).correlation, 4294967291u) << "printed with a sign";
  EXPECT_EQ(all<KernelRecord>().at(0).correlation, 4294967291u);
}

TEST_F(Kineto, WaitsWithoutAStreamHaveNone) {
  for (const char* const none : {"-1", "4294967295"}) {
    sink_ = {};
    EXPECT_EQ(import_events(kOp +
                            R"(,{"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":7,)"
                            R"("ts":9,"dur":1,"args":{"stream":)" +
                            none + R"(,"wait_on_cuda_event_id":)" + none + "}}"),
              "");
    EXPECT_EQ(all<SyncRecord>().at(0).stream, 0u) << none;
    EXPECT_EQ(all<SyncRecord>().at(0).event, 0u) << none;
  }
}

TEST_F(Kineto, SizesOfTensorsHave64Bits) {
  std::string op = kOp;
  op.replace(op.find("[2,3]"), 5, "[5000000000,18446744073709551615,-1]");
  import_events(op);
  EXPECT_NE(text(facts().at(0).signature).find("[5000000000,null,-1]"), std::string::npos);
}

TEST_F(Kineto, WhatIsAlmostJsonIsMendedAndCounted) {
  std::string op = kOp, kernel = kKernel;
  op.replace(op.find("addmm"), 1, "\xE9");
  op.replace(op.find("\"True\""), 6, "-Infinity");
  op.replace(op.find("ddmm"), 1, "\\ud800");
  kernel.replace(kernel.find("4.25"), 4, "NaN");
  EXPECT_EQ(import_events(kernel + "," + kCall + "," + op),
            "1 event with a duration that is not a number, left out; 1 byte in texts that are not "
            "UTF-8, replaced by '?'; 1 half of UTF-16 pairs in texts, replaced by U+FFFD; 2 "
            "numbers that are NaN or infinite, taken as unknown");
  ASSERT_EQ(all<RangeRecord>().size(), 1U);
  EXPECT_EQ(text(all<RangeRecord>()[0].text), "aten::?\uFFFDdmm");
}

TEST_F(Kineto, AnOpItsCallAndItsKernel) {
  EXPECT_EQ(import_events(kKernel + "," + kCall + "," + kOp, "\"baseTimeNanoseconds\":1000000,"),
            "");
  const auto ranges = all<RangeRecord>();
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(text(ranges[0].text), "aten::addmm");
  EXPECT_EQ(ranges[0].start_ns, 1'100'500);
  EXPECT_EQ(ranges[0].end_ns, 1'150'500);
  EXPECT_EQ(ranges[0].op.sequence, 12U);
  EXPECT_EQ(text(ranges[0].op.signature),
            R"({"source":"kineto","op":"aten::addmm","args":[)"
            R"({"shape":[2,3],"dtype":"float16","strides":[3,1]},)"
            R"({"list":[{"shape":[4],"strides":[1]},{"shape":[5],"strides":[1]}]},)"
            R"({"value":true},null,{"shape":[],"dtype":"int64"}]})");
  const auto calls = all<ApiRecord>();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].stack, ranges[0].id);
  EXPECT_EQ(calls[0].correlation, 31U);
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(text(kernels[0].name), "void k<1>(int)");
  EXPECT_EQ(kernels[0].start_ns, 1'200'001);
  EXPECT_EQ(kernels[0].end_ns, 1'204'251);
  EXPECT_EQ(kernels[0].device, 1U);
  EXPECT_EQ(kernels[0].grid, (Dim3{1, 2, 3}));
  EXPECT_EQ(kernels[0].dynamic_shared_bytes, 48U);
  EXPECT_EQ(all<ThreadRecord>().at(0).os_tid, 11U);
  EXPECT_EQ(metas()["pid"], "9");
  EXPECT_EQ(metas()["ended"], "stop");
  EXPECT_TRUE(all<LossRecord>().empty());
}

TEST_F(Kineto, FactsAboutTheCaptureMayComeLast) {
  write_file(path_, "{\"traceEvents\":[" + kOp +
                        R"(],"deviceProperties":[{"id":0,"name":"A"},{"id":1,"name":"B",)"
                        R"("computeMajor":9,"numSms":132,"totalGlobalMem":150109880320}],)"
                        R"("distributedInfo":{"rank":3,"world_size":8},)"
                        R"("cuda_driver_version":12040,"baseTimeNanoseconds":7000})");
  ASSERT_TRUE(import_kineto({path_, folder_.path()}, sink_).ok());
  const auto devices = all<DeviceRecord>();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].device, 1U);
  EXPECT_EQ(devices[1].name, "B");
  EXPECT_EQ(devices[1].sm_count, 132U);
  EXPECT_EQ(devices[1].memory_bytes, 150'109'880'320U);
  EXPECT_EQ(metas()["env.RANK"], "3");
  EXPECT_EQ(metas()["env.WORLD_SIZE"], "8");
  EXPECT_EQ(metas()["cuda_driver_version"], "12.4");
  EXPECT_EQ(all<RangeRecord>().at(0).start_ns, 107'500);
}

TEST_F(Kineto, TheOpThatAKernelStatesIsCompared) {
  std::string other = kKernel;
  other.replace(other.find("\"External id\":7"), 15, "\"External id\":8");
  std::string old = kKernel;  // its correlation in place of an op
  old.replace(old.find("\"External id\":7"), 15, "\"External id\":31");
  EXPECT_EQ(import_events(kOp + "," + kCall + "," + kKernel + "," + other + "," + old), "");
  const auto losses = all<LossRecord>();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].what, "under_another_op");
  EXPECT_EQ(losses[0].count, 1U);
}

TEST_F(Kineto, CollectivesStateTheirGroupAndNumber) {
  const auto op = [](int id, const std::string& name, const std::string& more) {
    return R"({"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":9,"tid":11,"ts":100,"dur":9,)"
           R"("args":{"External id":)" +
           std::to_string(id) + R"(,"Collective name":")" + name +
           R"(","Group size":3,"Process Group Name":"5","Process Group Ranks":"[1, 4, 6]")" + more +
           "}},";
  };
  const auto kernel = [](int id, const std::string& more = "") {
    return R"({"ph":"X","cat":"kernel","name":"nccl","pid":0,"tid":7,"ts":200,"dur":4,"args":)"
           R"({"External id":)" +
           std::to_string(id) + R"(,"correlation":)" + std::to_string(100 + id) + more + "}}";
  };
  import_events(op(1, "allreduce", R"(,"Rank":2,"Seq":12)") +
                op(2, "broadcast", R"(,"Rank":1,"Seq":13)") +
                op(3, "send", R"(,"Dst Rank":6,"Seq":4)") + op(4, "coalesced", R"(,"Seq":14)") +
                op(5, "allreduce", R"(,"Seq":-1)") + kernel(1) + "," + kernel(2) + "," + kernel(3) +
                "," + kernel(4) + "," + kernel(5) + "," + kernel(6) + "," +
                kernel(7, R"(,"Collective name":"allreduce","Process Group Name":"5",)"
                          R"("Process Group Ranks":"[1, 4, 7]")"));
  const auto calls = all<CollectiveRecord>();
  ASSERT_EQ(calls.size(), 6U) << "a kernel of no known op states nothing";
  EXPECT_EQ(calls[0].correlation, 101U);
  EXPECT_EQ(text(calls[0].operation), "allreduce");
  EXPECT_EQ(calls[0].ranks, 3U);
  EXPECT_EQ(calls[0].rank, 2U);
  EXPECT_EQ(calls[0].sequence, 12U);
  EXPECT_EQ(calls[1].root, 1U);
  EXPECT_EQ(calls[1].rank, std::nullopt);
  EXPECT_EQ(calls[1].sequence, 13U);
  EXPECT_EQ(calls[2].peer, 2U) << "the third of the group";
  EXPECT_EQ(calls[2].sequence, std::nullopt) << "each side counts its own";
  EXPECT_EQ(calls[3].sequence, std::nullopt) << "several calls";
  EXPECT_EQ(calls[4].sequence, std::nullopt);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(calls[i].communicator, calls[0].communicator);
  EXPECT_NE(calls[5].communicator, calls[0].communicator) << "other ranks of a group of that name";
  EXPECT_GE(static_cast<std::int64_t>(calls[0].communicator), 0);
}

TEST_F(Kineto, CopiesSetsAndWaits) {
  EXPECT_EQ(
      import_events(
          R"x({"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pinned)","ts":1,"dur":2,)x"
          R"("args":{"bytes":64,"correlation":1}},)"
          R"x({"ph":"X","cat":"gpu_memset","name":"Memset (Device)","ts":2,"dur":2,"args":)x"
          R"({"bytes":8,"correlation":2,"graph node id":5}},)"
          R"({"ph":"X","cat":"cuda_sync","name":"Stream Sync","ts":3,"dur":2,"args":{"stream":7}})"),
      "");
  const MemcpyRecord copy = all<MemcpyRecord>().at(0);
  EXPECT_EQ(copy.copy_kind, 2);
  EXPECT_EQ(copy.source, MemoryKind::kDevice);
  EXPECT_EQ(copy.destination, MemoryKind::kPinned);
  EXPECT_EQ(copy.bytes, 64U);
  const MemsetRecord set = all<MemsetRecord>().at(0);
  EXPECT_EQ(set.memory, MemoryKind::kDevice);
  EXPECT_EQ(set.origin, Origin::kGraph);
  EXPECT_EQ(all<SyncRecord>().at(0).type, SyncRecord::Type::kStream);
}

TEST_F(Kineto, ModulesAreRangesAndOtherFramesAreNot) {
  EXPECT_EQ(import_events(R"({"ph":"X","cat":"python_function","name":"nn.Module: Linear_0",)"
                          R"("pid":1,"tid":1,"ts":1,"dur":9},)"
                          R"({"ph":"X","cat":"python_function","name":"train.py(3): main",)"
                          R"("pid":1,"tid":1,"ts":1,"dur":9})"),
            "");
  ASSERT_EQ(all<RangeRecord>().size(), 1U);
  EXPECT_EQ(text(all<RangeRecord>()[0].text), "nn.Module: Linear_0");
}

TEST_F(Kineto, UnknownEventsAreCounted) {
  EXPECT_EQ(import_events(kOp + R"(,{"ph":"X","cat":"new","name":"n","ts":1},{"ph":"B","ts":1},)"
                                R"({"ph":"X","cat":"new","name":"n","ts":1},{"ph":"s","id":1},{})"),
            "4 events of kinds unknown to this version: new (2), no phase (1), phase B (1)");
  const LossRecord loss = all<LossRecord>().at(0);
  EXPECT_EQ(loss.what, "unknown_record");
  EXPECT_EQ(loss.count, 4U);
}

TEST_F(Kineto, ACutFileIsImportedUpToTheCut) {
  const std::string whole = "{\"traceEvents\":[" + kOp + "," + kCall + "]}";
  for (const std::size_t cut : {whole.size() - 1, whole.size() - 5, whole.size() - 90}) {
    sink_.records.clear();
    EXPECT_EQ(import_text(whole.substr(0, cut)),
              "is cut off; everything before the cut was imported");
    EXPECT_EQ(all<RangeRecord>().size(), 1U);
    EXPECT_FALSE(metas().contains("ended"));
  }
}

TEST_F(Kineto, WhatIsWrongGetsOneLine) {
  EXPECT_EQ(import_text(R"({"traceEvents":[{"ph":]})"), "is not JSON at byte 23");
  EXPECT_EQ(import_text(R"({"traceEvents":[{"a":1e999}]})"),
            "is not JSON at byte 27: a number is too large");
  EXPECT_EQ(import_text(R"({"traceEvents":7})"), "has \"traceEvents\" that is not a list");
  EXPECT_EQ(import_text(R"({"traceEvents":[7]})"), "has an event that is not an object");
  EXPECT_EQ(import_text(R"({"traceEvents":[[1]]})"), "has an event that is not an object");
  EXPECT_EQ(import_text("{\"a\":" + std::string(100, '[')),
            "is nested more than 64 deep, unlike any trace");
  EXPECT_EQ(import_text("{\"a\":\"" + std::string(20'000'000, 'x') + "\"}"),
            "has a text of more than 16 MiB at byte 4");
}

TEST_F(Kineto, AFileWithoutEventsOfTheProfilerSaysWhatItHas) {
  const std::string hint = "; name a trace that torch.profiler exported";
  EXPECT_EQ(import_text("{}"),
            "looks like JSON, but is neither a trace of torch.profiler nor a record stream; "
            "prof-import --help lists what it reads");
  EXPECT_EQ(import_text("[]"), "has no events" + hint);
  EXPECT_EQ(import_events(""), "has no events" + hint);
  EXPECT_EQ(import_text("{\"traceEvents\":["), "is cut off, and has up to there no events" + hint);
  // As other tools write them: without categories, or with begins and ends.
  EXPECT_EQ(
      import_events(R"({"ph":"X","name":"fusion.3","pid":1,"tid":2,"ts":1,"dur":2},)"
                    R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"/device"}})"),
      "has 2 events, but none of torch.profiler; kinds unknown to this version: none (1)" + hint);
  EXPECT_EQ(import_events(R"({"ph":"B","cat":"mojo","name":"a","ts":1},{"ph":"E","ts":2})"),
            "has 2 events, but none of torch.profiler; kinds unknown to this version: phase B (1), "
            "phase E (1)" +
                hint);
  EXPECT_EQ(import_events(R"({"ph":"X","cat":"kernel","name":"k"})"),
            "has no event that can be imported: 1 event without a time, left out" + hint);
}

TEST_F(Kineto, DamagedEventsAreLeftOutAndCounted) {
  EXPECT_EQ(
      import_events(kOp +
                    R"(,{"ph":"X","cat":"kernel","name":"k","ts":"soon"},)"
                    R"({"ph":"X","cat":"kernel","name":"k","ts":1e300},)"
                    R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":[4]},)"
                    R"({"ph":"X","cat":"kernel","ts":1},)"
                    R"({"ph":"X","cat":"cpu_op","name":"a","ts":1,"pid":"x"},)"
                    R"({"ph":"X","cat":"cuda_runtime","name":"a","ts":1},)" +
                    kKernel),
      "1 event without a name, left out; 2 events without a time, left out; 1 event with a "
      "duration that is not a number, left out; 2 events without numbers of process and thread, "
      "left out");
  EXPECT_EQ(all<RangeRecord>().size(), 1U);
  EXPECT_EQ(all<KernelRecord>().size(), 1U);
  std::uint64_t lost = 0;
  for (const LossRecord& loss : all<LossRecord>()) {
    EXPECT_EQ(loss.what, "damaged_event");
    lost += loss.count;
  }
  EXPECT_EQ(lost, 6U);
}

TEST_F(Kineto, AnOpWithoutANameIsAPlainRange) {
  std::string op = kOp;
  op.replace(op.find("aten::addmm"), 11, "");
  EXPECT_EQ(import_events(op), "1 op without a name, kept as plain ranges");
  EXPECT_EQ(all<RangeRecord>().size(), 1U);
  EXPECT_TRUE(facts().empty());
  EXPECT_EQ(all<LossRecord>().at(0).count, 1U);
}

TEST_F(Kineto, NumbersMayBeTextsAndNamesOfFieldsVary) {
  EXPECT_EQ(import_events(
                R"({"ph":"X","cat":"Operator","name":"aten::mm","pid":"9","tid":"11","ts":"100.5",)"
                R"("dur":"50","args":{"external id":7,"Input dims":[[2,3],[3,4]],)"
                R"("input_type":["float","float"]}},)"
                R"({"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":9,"tid":"11",)"
                R"("ts":110,"dur":5,"args":{"external id":"31","correlation":31}},)"
                R"({"ph":"X","cat":"Kernel","name":"k","pid":3,"tid":"stream 7","ts":200,"dur":4,)"
                R"("args":{"external id":31,"correlation":31,"stream":7,"device":0}})"),
            "");
  ASSERT_EQ(all<RangeRecord>().size(), 1U);
  EXPECT_EQ(all<RangeRecord>()[0].start_ns, 100'500);
  EXPECT_EQ(text(facts().at(0).signature),
            R"({"source":"kineto","op":"aten::mm","args":[{"shape":[2,3],"dtype":"float32"},)"
            R"({"shape":[3,4],"dtype":"float32"}]})");
  EXPECT_EQ(all<ApiRecord>().at(0).stack, all<RangeRecord>()[0].id);
  EXPECT_EQ(all<KernelRecord>().at(0).stream, 7U);
  EXPECT_TRUE(all<LossRecord>().empty());
}

TEST_F(Kineto, ArrowsLinkNodesInFilesWithoutNumbers) {
  const auto op = [](const char* name, int tid, int ts) {
    return R"({"ph":"X","cat":"cpu_op","name":")" + std::string(name) + R"(","pid":1,"tid":)" +
           std::to_string(tid) + R"(,"ts":)" + std::to_string(ts) + R"(,"dur":9})";
  };
  const auto arrow = [](const char* phase, int id, int tid, int ts) {
    return R"({"ph":")" + std::string(phase) + R"(","cat":"fwdbwd","name":"fwdbwd","id":)" +
           std::to_string(id) + R"(,"pid":1,"tid":)" + std::to_string(tid) + R"(,"ts":)" +
           std::to_string(ts) + R"(,"bp":"e"})";
  };
  const std::string file = arrow("f", 5, 2, 300) + "," + arrow("s", 5, 1, 100) + "," +
                           arrow("s", 6, 3, 100) + "," + arrow("f", 6, 2, 400) + "," +
                           arrow("s", 7, 1, 150) + "," + op("aten::mul", 1, 100) + "," +
                           op("aten::add", 3, 100) + "," + op("aten::neg", 1, 200) + "," +
                           op("MulBackward0", 2, 300) + "," + op("AddBackward0", 2, 400);
  EXPECT_EQ(import_events(file), "");
  const auto stated = facts();
  ASSERT_EQ(stated.size(), 5U);
  EXPECT_EQ(stated[0].sequence, 5U);
  EXPECT_EQ(stated[1].sequence, 6U);
  EXPECT_FALSE(stated[2].sequence);
  EXPECT_EQ(stated[3].sequence, 5U);
  EXPECT_EQ(stated[4].sequence, 6U);
  const auto ranges = all<RangeRecord>();
  EXPECT_EQ(stated[3].forward_thread, ranges[0].thread);
  EXPECT_EQ(stated[4].forward_thread, ranges[1].thread);
  EXPECT_FALSE(stated[0].forward_thread);
  // Numbers of ops tell the same, and better.
  sink_.records.clear();
  EXPECT_EQ(import_events(file + "," + kOp), "");
  std::uint64_t numbered = 0;
  for (const OpFact& fact : facts()) numbered += fact.sequence ? 1U : 0U;
  EXPECT_EQ(numbered, 1U);
}

TEST_F(Kineto, TheLastOfRepeatedKeysCounts) {
  EXPECT_EQ(import_events(R"({"ph":"B","ph":"X","cat":"kernel","name":"a","name":"b","ts":1,)"
                          R"("ts":2,"dur":3})"),
            "");
  EXPECT_EQ(text(all<KernelRecord>().at(0).name), "b");
  EXPECT_EQ(all<KernelRecord>()[0].start_ns, 2000);
}

TEST_F(Kineto, AnEventIsNotLargerThanMemory) {
  const std::string text = "\"" + std::string(8'000'000, 'x') + "\"";
  std::string args = text;
  for (int i = 0; i < 8; ++i) args += "," + text;
  EXPECT_EQ(import_events(R"({"ph":"X","args":{"a":[)" + args + "]}}"),
            "has an event of more than 64 MiB");
}

TEST_F(Kineto, AnErrorElsewhereIsNotOfTheEvent) {
  write_file(path_, "{\"traceEvents\":[" + kOp + "]}");
  Error error{"is full", "/disk", "free some space"};
  const TraceVisitor visitor = {[](const TraceFact&) {},
                                [&error](const TraceEvent&) -> Status { return error; }};
  EXPECT_EQ(read_chrome_trace(path_, visitor).error().to_line(), "/disk: is full; free some space");
  error.where.clear();
  EXPECT_EQ(read_chrome_trace(path_, visitor).error().to_line(),
            path_ + ": event 1 is full; free some space");
}

TEST_F(Kineto, ValuesAreReadAsTheProfilerPrintsThem) {
  const auto import_value = [this](const std::string& value) {
    std::string op = kOp;
    op.replace(op.find("\"True\""), 6, "\"" + value + "\"");
    sink_.records.clear();
    EXPECT_EQ(import_events(op), "");
    const std::string signature = text(facts().at(0).signature);
    const std::size_t begin = signature.find("{\"value\":") + 9;
    return signature.substr(begin, signature.find("},null", begin) - begin);
  };
  EXPECT_EQ(import_value("False"), "false");
  EXPECT_EQ(import_value("1."), "1.0");
  EXPECT_EQ(import_value("-1e-05"), "-1e-05");
  EXPECT_EQ(import_value("[True, False]"), "[true,false]");
  EXPECT_EQ(import_value("[2., 1.5]"), "[2.0,1.5]");
  EXPECT_EQ(import_value("[]"), "[]");
  EXPECT_EQ(import_value("inf"), "\"inf\"");
  EXPECT_EQ(import_value("[inf]"), "\"[inf]\"");
  EXPECT_EQ(import_value("same. [x"), "\"same. [x\"");
}

TEST_F(Kineto, AValueThatNestsTooDeepStaysAText) {
  const auto import_value = [this](const std::string& value) {
    std::string op = kOp;
    op.replace(op.find("\"True\""), 6, "\"" + value + "\"");
    sink_.records.clear();
    EXPECT_EQ(import_events(op), "");
    return text(facts().at(0).signature);
  };
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  const std::string limit = nested(32);
  const std::string deep = nested(33);
  const std::string very_deep = nested(100'000);
  EXPECT_NE(import_value(limit).find("{\"value\":" + limit + "}"), std::string::npos);
  EXPECT_NE(import_value(deep).find("{\"value\":\"" + deep + "\"}"), std::string::npos);
  EXPECT_NE(import_value(very_deep).find("{\"value\":\"[[["), std::string::npos);
}

TEST_F(Kineto, TimesThatCountFromZeroAreKnown) {
  EXPECT_EQ(import_events(
                R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":0,"dur":9},)"
                R"({"ph":"X","cat":"kernel","name":"k","ts":0,"dur":4,"args":{"correlation":1}})"),
            "");
  // All are 1 ns later, so none is shorter.
  EXPECT_EQ(all<RangeRecord>().at(0).start_ns, 1);
  EXPECT_EQ(all<RangeRecord>().at(0).end_ns, 9001);
  EXPECT_EQ(all<KernelRecord>().at(0).start_ns, 1);
  EXPECT_EQ(all<KernelRecord>().at(0).end_ns, 4001);
  sink_.records.clear();
  EXPECT_EQ(import_events(R"({"ph":"X","cat":"kernel","name":"k","ts":-2,"dur":4},)"
                          R"({"ph":"X","cat":"kernel","name":"k","ts":5,"dur":4})"),
            "");
  EXPECT_EQ(all<KernelRecord>().at(0).start_ns, 1);
  EXPECT_EQ(all<KernelRecord>().at(1).start_ns, 7001);
}

TEST_F(Kineto, TimesAtTheLimitsDoNotOverflow) {
  EXPECT_EQ(import_events(R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,)"
                          R"("ts":-9223372036854774,"dur":1},)"
                          R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,)"
                          R"("ts":-9223372036854774,"dur":9000000000000000},)"
                          R"({"ph":"X","cat":"cpu_op","name":"c","pid":1,"tid":1,)"
                          R"("ts":-9223372036854773,"dur":9223372036854774})",
                          R"("baseTimeNanoseconds":-9223372036854775808,)"),
            "");
  EXPECT_EQ(all<RangeRecord>().size(), 3U);
}

TEST_F(Kineto, AnUnreadableBaseOfTimesIsNamed) {
  EXPECT_EQ(import_events(kOp, R"("baseTimeNanoseconds":"soon",)"),
            "\"baseTimeNanoseconds\" is not a whole number; times count from 0");
  EXPECT_EQ(all<RangeRecord>().at(0).start_ns, 100'500);
}

TEST_F(Kineto, ANegativeDurationIsCountedAndAnEmptyNameKept) {
  EXPECT_EQ(import_events(R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":-4},)"
                          R"({"ph":"X","cat":"kernel","name":"","ts":7,"dur":1})"),
            "1 event of a negative duration, left out");
  ASSERT_EQ(all<KernelRecord>().size(), 1U);
  EXPECT_EQ(all<KernelRecord>()[0].start_ns, 7000);
  EXPECT_EQ(text(all<KernelRecord>()[0].name), "");
  ASSERT_EQ(all<LossRecord>().size(), 1U);
  EXPECT_EQ(all<LossRecord>()[0].what, "damaged_event");
  EXPECT_EQ(all<LossRecord>()[0].count, 1U);
}

TEST_F(Kineto, NothingIsLeftInTheScratchFolder) {
  EXPECT_EQ(import_events(kOp), "");
  std::filesystem::remove(path_);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Kineto, DamageGivesATraceOrOneLine) {
  const std::string whole = R"({"deviceProperties":[{"id":0,"name":"A"}],"traceEvents":[)" + kOp +
                            "," + kCall + "," + kKernel + "],\"baseTimeNanoseconds\":1000000}";
  const std::string some = "{}[],:\"0e-.x\\\x01\xff";
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole;
    for (auto change = random() % 3; change < 3; ++change) {
      damaged[random() % damaged.size()] = some[random() % some.size()];
    }
    sink_.records.clear();
    EXPECT_EQ(import_text(damaged).find('\n'), std::string::npos) << damaged;
  }
}

TEST(KinetoTimes, AreExact) {
  const auto ns = [](const char* digits) {
    return nanoseconds({EventValue::Kind::kNumber, digits, {}});
  };
  EXPECT_EQ(ns("1650000000123456.789"), 1'650'000'000'123'456'789);
  EXPECT_EQ(ns("4362114337091.8"), 4'362'114'337'091'800);
  EXPECT_EQ(ns("7"), 7000);
  EXPECT_EQ(ns("-0.5"), -500);
  EXPECT_EQ(ns("1.5e3"), 1'500'000);
  EXPECT_EQ(ns("1e300"), std::nullopt);
  EXPECT_EQ(nanoseconds({EventValue::Kind::kText, "7", {}}), 7000);
  EXPECT_EQ(nanoseconds({EventValue::Kind::kText, "", {}}), std::nullopt);
}

TEST(KinetoFormat, IsToldByContent) {
  EXPECT_TRUE(is_kineto_trace("{\n \"schemaVersion\": 1,"));
  EXPECT_TRUE(is_kineto_trace("\xEF\xBB\xBF{\"traceEvents\":["));
  EXPECT_TRUE(is_kineto_trace("\n[{")) << "the events alone";
  EXPECT_FALSE(is_kineto_trace("schemaVersion"));
  EXPECT_FALSE(is_kineto_trace("{'kShortName': 'a'}")) << "a dict of Python";
  EXPECT_FALSE(is_kineto_trace("[1, 2]"));
  EXPECT_FALSE(is_kineto_trace(""));
}

}  // namespace
}  // namespace prof::importers
