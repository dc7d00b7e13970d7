// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting of CUDA calls, on examples and on every name that this toolkit's headers list.
#include "collectors/cupti/call_class.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectors/cupti/call_table.hpp"

namespace prof::collectors {
namespace {

/// "cudaLaunchKernel_v7000" of "CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 = 211,".
std::vector<std::string> header_names(const std::string& header, const std::string& prefix) {
  std::vector<std::string> names;
  std::ifstream file(PROF_CUPTI_HEADERS "/" + header);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(prefix);
    if (at == std::string::npos) continue;
    const std::size_t start = at + prefix.size();
    const std::string name = line.substr(start, line.find_first_of(" =,", start) - start);
    if (name.find('u') != std::string::npos) names.push_back(name);
  }
  return names;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names =
      header_names("cupti_runtime_cbid.h", "CUPTI_RUNTIME_TRACE_CBID_");
  for (const std::string& name : header_names("cupti_driver_cbid.h", "CUPTI_DRIVER_TRACE_CBID_"))
    names.push_back(name);
  return names;
}

std::set<std::string> plain_names_of(CallClass call) {
  std::set<std::string> names;
  for (const std::string& name : all_names()) {
    if (classify_call(name) == call) names.emplace(plain_function_name(name));
  }
  return names;
}

TEST(CallClass, VersionsAndPerThreadStreamsLeaveTheName) {
  EXPECT_EQ(plain_function_name("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(plain_function_name("cudaLaunchKernel_ptsz_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(plain_function_name("cuMemcpyHtoD_v2_ptds"), "cuMemcpyHtoD");
  EXPECT_EQ(plain_function_name("cudaStreamGetCaptureInfo_v2_ptsz_v11030"),
            "cudaStreamGetCaptureInfo");
  EXPECT_EQ(plain_function_name("cuMemsetD2D32"), "cuMemsetD2D32");
  EXPECT_EQ(plain_function_name("cudaMemcpy2D"), "cudaMemcpy2D");
  EXPECT_EQ(plain_function_name("_v"), "_v");
  EXPECT_EQ(plain_function_name(""), "");
}

TEST(CallClass, EveryDoorOfALaunchIsFound) {
  EXPECT_EQ(plain_names_of(CallClass::kLaunch),
            (std::set<std::string>{"__cudaLaunchKernel", "cuLaunch", "cuLaunchCooperativeKernel",
                                   "cuLaunchGrid", "cuLaunchGridAsync", "cuLaunchKernel",
                                   "cuLaunchKernelEx", "cudaLaunch", "cudaLaunchCooperativeKernel",
                                   "cudaLaunchKernel", "cudaLaunchKernelExC"}));
  EXPECT_EQ(plain_names_of(CallClass::kGraphLaunch),
            (std::set<std::string>{"cuGraphLaunch", "cudaGraphLaunch"}));
  EXPECT_EQ(plain_names_of(CallClass::kLaunchMany),
            (std::set<std::string>{"cuLaunchCooperativeKernelMultiDevice",
                                   "cudaLaunchCooperativeKernelMultiDevice"}));
}

TEST(CallClass, EveryLaunchKeepsItsPerThreadStreamTwin) {
  int twins = 0;
  for (const std::string& name : all_names()) {
    if (name.find("_ptsz") != std::string::npos && classify_call(name) == CallClass::kLaunch)
      ++twins;
  }
  // cudaLaunch, cudaLaunchKernel, cooperative, ExC, __cudaLaunchKernel; cuLaunchKernel,
  // cooperative, Ex.
  EXPECT_EQ(twins, 8);
}

TEST(CallClass, ExamplesOfEachClass) {
  const std::map<std::string, CallClass> examples = {
      {"cudaMemcpyAsync_v3020", CallClass::kCopy},
      {"cuMemcpyDtoDAsync_v2_ptsz", CallClass::kCopy},
      {"cu64Memcpy2D", CallClass::kCopy},
      {"cudaMemcpy3DBatchAsync_v13000", CallClass::kCopy},
      {"cudaMemsetAsync_ptsz_v7000", CallClass::kSet},
      {"cuMemsetD32Async", CallClass::kSet},
      {"cudaDeviceSynchronize_v3020", CallClass::kSynchronize},
      {"cuCtxSynchronize_v2", CallClass::kSynchronize},
      {"cudaEventSynchronize_v3020", CallClass::kSynchronize},
      {"cudaMalloc_v3020", CallClass::kMemory},
      {"cudaFreeAsync_ptsz_v11020", CallClass::kMemory},
      {"cuMemAlloc_v2", CallClass::kMemory},
      {"cuMemHostRegister_v2", CallClass::kMemory},
      {"cudaHostAlloc_v3020", CallClass::kMemory},
      {"cuModuleLoadDataEx", CallClass::kModule},
      {"cudaLibraryLoadData_v12080", CallClass::kModule},
      {"cuLinkComplete", CallClass::kModule},
      {"cuModuleGetFunction", CallClass::kOther},
      {"cuModuleUnload", CallClass::kOther},
      {"cudaStreamCreateWithFlags_v5000", CallClass::kStream},
      {"cuStreamWaitEvent_ptsz", CallClass::kStream},
      {"cudaLaunchHostFunc_v10000", CallClass::kStream},
      {"cudaStreamBeginCapture_v10000", CallClass::kCaptureBegin},
      {"cuProfilerStart", CallClass::kProfilerStart},
      {"cudaProfilerStop_v4000", CallClass::kProfilerStop},
      {"cuStreamEndCapture_ptsz", CallClass::kCaptureEnd},
      {"cudaEventRecordWithFlags_v11010", CallClass::kEvent},
      {"cuEventDestroy_v2", CallClass::kEvent},
      {"cudaGraphInstantiateWithFlags_v11040", CallClass::kGraph},
      {"cudaGetDevice_v3020", CallClass::kOther},
      {"cudaEventQuery_v3020", CallClass::kOther},
      {"cudaStreamIsCapturing_v10000", CallClass::kOther},
      {"cuMemGetInfo_v2", CallClass::kOther},
      {"cudaEventElapsedTime_v3020", CallClass::kOther},
      {"cudaGetLastError_v3020", CallClass::kOther},
      {"cudaGraphAddMemcpyNode_v10000", CallClass::kNodeAdd},
      {"cuGraphAddNode_v2", CallClass::kNodeAdd},
      {"cudaGraphAddChildGraphNode_v10000", CallClass::kNodeAdd},
      {"cudaGraphAddDependencies_v10000", CallClass::kOther},
      {"cuGraphKernelNodeSetParams_v2", CallClass::kNodeSet},
      {"cuGraphMemsetNodeSetParams", CallClass::kNodeSet},
      {"cuGraphNodeSetParams", CallClass::kNodeSet},
      {"cuGraphExecKernelNodeSetParams_v2", CallClass::kOther},
      {"cuGraphKernelNodeSetAttribute", CallClass::kOther},
      {"cudaGraphicsMapResources_v3020", CallClass::kOther},
      {"INVALID", CallClass::kOther},
      {"", CallClass::kOther},
  };
  for (const auto& [name, expected] : examples) EXPECT_EQ(classify_call(name), expected) << name;
}

TEST(CallClass, TheDriverSWaits) {
  using Type = SyncRecord::Type;
  std::map<std::string, Type> waits;
  for (const std::string& name : all_names()) {
    if (wait_of(name) != Type::kUnknown) waits.emplace(plain_function_name(name), wait_of(name));
  }
  const std::map<std::string, Type> expected = {{"cuCtxSynchronize", Type::kContext},
                                                {"cuStreamSynchronize", Type::kStream},
                                                {"cuEventSynchronize", Type::kEvent},
                                                {"cuStreamWaitEvent", Type::kStreamWaitEvent}};
  EXPECT_EQ(waits, expected);
}

TEST(CallClass, ModesNestAndNoneKeepsWhatAttributionNeeds) {
  for (const std::string& name : all_names()) {
    const CallClass call = classify_call(name);
    EXPECT_TRUE(is_recorded(call, ApiMode::kAll)) << name;
    if (is_recorded(call, ApiMode::kNone)) {
      EXPECT_TRUE(is_recorded(call, ApiMode::kLaunch)) << name;
    }
    if (expects_kernel(call)) {
      EXPECT_TRUE(is_recorded(call, ApiMode::kNone)) << name;
    }
  }
  EXPECT_FALSE(is_recorded(CallClass::kOther, ApiMode::kLaunch));
  EXPECT_FALSE(is_recorded(CallClass::kMemory, ApiMode::kNone));
  for (const CallClass call : {CallClass::kNodeAdd, CallClass::kNodeSet}) {
    EXPECT_FALSE(is_recorded(call, ApiMode::kLaunch));
    EXPECT_TRUE(is_watched(call, ApiMode::kNone));
  }
}

TEST(CallTable, EndsAfterManyUnnamedNumbers) {
  CallTable table;
  table.build([](std::uint32_t cbid) -> const char* {
    return cbid == 1 ? "cudaMalloc_v3020" : cbid == 60 ? "cudaLaunchKernel_v7000" : nullptr;
  });
  EXPECT_EQ(table.size(), 61U);
  EXPECT_EQ(table.at(60).name, "cudaLaunchKernel");
  EXPECT_EQ(table.at(60).call, CallClass::kLaunch);
  EXPECT_TRUE(table.at(30).name.empty());
  EXPECT_TRUE(table.at(1000).name.empty());
  EXPECT_EQ(table.find("cudaLaunchKernel"), 60U);
  EXPECT_EQ(table.find("cudaFree"), 0U);
}

}  // namespace
}  // namespace prof::collectors
