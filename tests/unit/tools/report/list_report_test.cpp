// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the reports `kernels` and `gpu`: the contract of their JSON, and PyProf's words.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::json;

class PerWorkReports : public testing::Test {
 protected:
  PerWorkReports() {
    trace_.strings_[9] = "cudaLaunchKernel";
    trace_.configs_[1] = {.name = {},
                          .grid = {8, 4, 1},
                          .block = {128, 1, 1},
                          .registers_per_thread = 64,
                          .static_shared_bytes = 100,
                          .dynamic_shared_bytes = 28};
    trace_.threads_ = {{.id = ThreadId{3}, .process = 1, .os_tid = 4711, .name = "main"}};
  }

  FakeWork::Item& gemm() {
    auto& item = work_.kernel("gemm_tn", 1234567);
    item.facts.demangled = "void lib::gemm_tn<float>(int)";
    item.facts.tensor_core = TensorCore::kYes;
    item.gpu.start_ns = 5000;
    item.gpu.stream = 7;
    item.gpu.correlation = item.gpu.launch = 77;
    item.gpu.launched = true;
    item.gpu.thread = ThreadId{3};
    item.gpu.function = StringId{9};
    item.gpu.launch_start_ns = 4000;
    item.attribution.op_id = 42;
    item.attribution.step = 1;
    item.attribution.share = 1;
    item.attribution.cost.flops = 436207616.0;
    item.attribution.cost.bytes = 1000.0;
    OpAttribution& op = item.op;
    op.layer = "Bottom_MLP";
    op.op = op.op_inner = "linear";
    op.module = "prof";
    op.known_op = true;
    op.direction = Direction::kBprop;
    op.part = Part::kWeight;
    op.tensors = {{.name = "x", .dtype = DType::kFloat16, .shape = {32768, 13}}};
    op.params = "M=512,N=32768,K=13";
    op.gemm = GemmShape{.m = 512, .n = 32768, .k = 13, .batch = 1};
    op.dtype = DType::kFloat16;
    op.layer_from = op.op_from = op.direction_from = op.shapes_from = Provenance::kExact;
    op.dtype_from = Provenance::kEstimated;
    item.op.cost.basis = Basis::kExact;
    return item;
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(PerWorkReports, JsonKeepsTheContract) {
  gemm();
  const Json row = Json::parse(reported("kernels", trace_, work_, "json"))[0];
  const Json expected = Json::parse(R"json({
      "idx": 1, "dir": "bprop", "part": "weight", "layer": "Bottom_MLP", "op": "linear",
      "op_id": 42, "op_inner": "linear", "params": "M=512,N=32768,K=13", "inputs": [[32768, 13]],
      "m": 512, "n": 32768, "k": 13, "batch": 1, "dtype": "float16", "kernel": "gemm_tn",
      "kernel_full": "void lib::gemm_tn<float>(int)", "time_ns": 1234567, "start_ns": 5000,
      "flops": 436207616, "bytes": 1000, "tc": true, "device": 0, "stream": 7, "thread": 3,
      "grid": [8, 4, 1], "block": [128, 1, 1], "step": 1,
      "provenance": {"layer": "exact", "op": "exact", "dir": "exact", "shapes": "exact",
                     "dtype": "estimated", "flops": "exact", "bytes": "exact", "tc": "estimated"},
      "role": "main", "share": 1, "registers": 64, "shared": 128, "launch": "cudaLaunchKernel",
      "launch_ns": 4000, "correlation": 77, "origin": "api"})json");
  for (const auto& [key, value] : expected.items())
    EXPECT_EQ(row.value(key, Json("missing")), value) << key;
  // What reports add to the contract. The trace has no device: no roofline.
  EXPECT_NEAR(row["tflop_per_s"].get<double>(), 436207616 / 1234567.0 * 1e-3, 1e-9);
  EXPECT_NEAR(row["gb_per_s"].get<double>(), 1000 / 1234567.0, 1e-9);
  EXPECT_NEAR(row["intensity"].get<double>(), 436207.616, 1e-9);
  for (const char* key : {"roofline_pct", "bound", "family", "tile", "split_k", "contradicts"}) {
    EXPECT_TRUE(row.contains(key) && row[key].is_null()) << key;
  }
}

TEST_F(PerWorkReports, ContradictionsAreWords) {
  Attribution& attribution = work_.kernel("k", 5).attribution;
  attribution.contradictions.set(static_cast<std::size_t>(Contradiction::kDType));
  attribution.contradictions.set(static_cast<std::size_t>(Contradiction::kHead));
  EXPECT_EQ(Json::parse(reported("kernels", trace_, work_, "json"))[0]["contradicts"],
            "dtype,head");
}

TEST_F(PerWorkReports, WhatIsNotKnownIsNullAndNeverZero) {
  work_.kernel("k", 0);
  const Json row = Json::parse(reported("kernels", trace_, work_, "json"))[0];
  for (const char* key :
       {"dir",  "part",    "layer",    "op",    "op_id", "op_inner", "params",    "m",
        "n",    "k",       "batch",    "dtype", "flops", "bytes",    "tc",        "thread",
        "step", "time_ns", "start_ns", "role",  "share", "launch",   "launch_ns", "correlation"}) {
    EXPECT_TRUE(row.at(key).is_null()) << key;
  }
  EXPECT_EQ(row["inputs"], Json::array());
  EXPECT_EQ(row["provenance"]["flops"], "none");
}

TEST_F(PerWorkReports, ElementTypesOfInputs) {
  gemm().op.tensors.push_back({.name = "mask", .shape = {}});
  work_.kernel("other", 5);
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "input_types"),
            "input_types\n\"float16,-\"\n\n");
}

TEST_F(PerWorkReports, ABiasHasNoK) {
  auto& item = work_.kernel("bias", 5);
  item.op.gemm = GemmShape{.m = 512, .n = 64, .k = std::nullopt, .batch = 1};
  const Json row = Json::parse(reported("kernels", trace_, work_, "json"))[0];
  EXPECT_EQ(row["m"], 512);
  EXPECT_EQ(row["n"], 64);
  EXPECT_TRUE(row["k"].is_null());
}

TEST_F(PerWorkReports, PartsOfBytesAndBandwidthsOfCollectives) {
  auto& item = work_.kernel("ncclDevKernel", 2000);
  item.attribution.cost.read = 1000;
  item.attribution.cost.written = 3000;
  item.attribution.cost.algorithm_bytes = 4000;
  item.attribution.cost.bus_bytes = 2000;
  work_.kernel("other", 2000);
  EXPECT_EQ(reported("kernels", trace_, work_, "csv",
                     "bytes_read,bytes_written,alg_gb_per_s,bus_gb_per_s"),
            "bytes_read,bytes_written,alg_gb_per_s,bus_gb_per_s\n1000,3000,2,1\n,,,\n");
}

TEST_F(PerWorkReports, AnEstimatedCostSaysSo) {
  gemm().attribution.basis = Basis::kEstimated;
  const Json row = Json::parse(reported("kernels", trace_, work_, "json"))[0];
  EXPECT_EQ(row["provenance"]["flops"], "estimated");
}

TEST_F(PerWorkReports, TheTableHasTheColumnsOfTheSeedsAndTime) {
  gemm();
  EXPECT_EQ(reported("kernels", trace_, work_, "table"),
            "Idx  Direction  Layer       Op      Params              Kernel    Time(ms)\n"
            "---  ---------  ----------  ------  ------------------  -------  ---------\n"
            "  1  bprop      Bottom_MLP  linear  M=512,N=32768,K=13  gemm_tn       1.23\n");
}

// But `trace`, which is the trace's name here: PyProf's is `source`.
TEST_F(PerWorkReports, TakesEveryWordOfPyProf) {
  auto& item = gemm();
  item.op.trace = "net.py:50";
  for (const std::uint64_t number : {12U, 13U, 15U}) item.attribution.seq.add(number);
  item.attribution.sub = 2;
  EXPECT_EQ(
      reported("kernels", trace_, work_, "csv",
               "idx,seq,altseq,tid,layer,source,dir,sub,mod,op,kernel,params,sil,tc,device,"
               "stream,grid,block,flops,bytes"),
      "idx,seq,altseq,tid,layer,source,dir,sub,mod,op,kernel,params,sil,tc,device,stream,grid,"
      "block,flops,bytes\n"
      "1,12,\"13,15\",4711,Bottom_MLP,net.py:50,bprop,2,prof,linear,gemm_tn,\"M=512,N=32768,"
      "K=13\",1234567,1,0,7,"
      "\"8,4,1\",\"128,1,1\",436207616,1000\n");
}

TEST_F(PerWorkReports, CopiesAndSetsAreAmongTheKernels) {
  work_.kernel("k", 5);
  auto& copy = work_.copy(GpuRow::Kind::kMemcpy, 4096, 2000);
  copy.gpu.copy_kind = 1;
  copy.gpu.source = MemoryKind::kPinned;
  copy.gpu.destination = MemoryKind::kDevice;
  copy.op.layer = "Loader";
  copy.op.op = "copy";
  copy.op.direction = Direction::kFprop;
  work_.copy(GpuRow::Kind::kMemset, 64, 1000).gpu.destination = MemoryKind::kDevice;
  work_.copy(GpuRow::Kind::kMemcpy, 1, 1000).gpu.copy_kind = 200;
  EXPECT_EQ(reported("gpu", trace_, work_, "csv",
                     "idx,kind,layer,op,dir,kernel,bytes,memory,memory_to,grid,time_us"),
            "idx,kind,layer,op,dir,kernel,bytes,memory,memory_to,grid,time_us\n"
            "1,kernel,,,,k,,,,\"8,4,1\",0.005\n"
            "2,memcpy,Loader,copy,fprop,[memcpy HtoD],4096,pinned,device,,2.000\n"
            "3,memset,,,,[memset],64,device,,,1.000\n"
            "4,memcpy,,,,[memcpy],1,,,,1.000\n");
}

TEST_F(PerWorkReports, ShowOneStep) {
  work_.kernel("before", 5);
  work_.kernel("inside", 5).attribution.step = 3;
  work_.kernel("after", 5);
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "idx,kernel,step", in_step(3)),
            "idx,kernel,step\n2,inside,3\n");
}

TEST_F(PerWorkReports, AnErrorOfTheTraceEndsThem) {
  work_.kernel("k", 5);
  work_.status_ = Error{.what = "damaged", .where = "x.db", .hint = ""};
  EXPECT_EQ(reported("kernels", trace_, work_, "csv", "idx"), "idx\n1\nerror: x.db: damaged\n");
}

}  // namespace
}  // namespace prof::reports
