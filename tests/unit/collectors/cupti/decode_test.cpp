// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoding of records that are filled by hand, in the layouts of several CUPTI versions. Every
// record lies at the end of an allocation of exactly its size, so that a read beyond it is found.
#include "collectors/cupti/cupti_decode.hpp"

#include <cupti.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/ignoring_sink.hpp"

namespace prof::collectors {
namespace {

constexpr std::uint32_t kCuda11_0 = 13, kCuda11_1 = 14, kCuda11_8 = 18, kCuda12_0 = 19,
                        kCuda13_0 = 130000, kCuda13_4 = 130400;

class Recorded final : public ActivitySink {
 public:
  StringId intern(std::string_view text) override {
    const auto [found, is_new] =
        ids.try_emplace(std::string(text), static_cast<std::uint32_t>(ids.size() + 1));
    return StringId{found->second};
  }
  void on(const KernelRecord& record) override { kernels.push_back(record); }
  void on(const MemcpyRecord& record) override { copies.push_back(record); }
  void on(const MemsetRecord& record) override { sets.push_back(record); }
  void on(const OverheadRecord& record) override { overheads.push_back(record); }
  void on(const DeviceRecord&) override { ADD_FAILURE() << "no activity record is a device"; }
  void on(const ClockSyncRecord&) override { ADD_FAILURE() << "nor a clock"; }
  RecordSink& records() override { return others; }
  void lost(Loss loss, std::uint64_t count) override { losses[loss] += count; }

  struct Others final : test::IgnoringSink {
    using IgnoringSink::on;
    void on(const AllocationRecord& record) override { allocations.push_back(record); }
    std::vector<AllocationRecord> allocations;
  } others;

  std::map<std::string, std::uint32_t> ids;
  std::vector<KernelRecord> kernels;
  std::vector<MemcpyRecord> copies;
  std::vector<MemsetRecord> sets;
  std::vector<OverheadRecord> overheads;
  std::map<Loss, std::uint64_t> losses;
};

template <typename Struct>
Recorded decode(std::uint32_t version, const Struct& record) {
  auto exact = std::make_unique<std::uint64_t[]>((sizeof record + 7) / 8);
  std::memcpy(exact.get(), &record, sizeof record);
  CorrelationWidener correlations;
  correlations.start_session(0);
  Recorded sink;
  decode_activity({version, nullptr, &correlations}, exact.get(), sink);
  return sink;
}

/// A record whose every byte is set, so that what is not filled on purpose is seen when it is read.
template <typename Struct>
Struct garbage() {
  Struct record;
  std::memset(static_cast<void*>(&record), 0xa5, sizeof record);
  return record;
}

template <typename Kernel>
Kernel example_kernel() {
  auto kernel = garbage<Kernel>();
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.registersPerThread = 96;
  kernel.start = 1'700'000'000'000'000'001;
  kernel.end = 1'700'000'000'000'000'999;
  kernel.deviceId = 1;
  kernel.contextId = 2;
  kernel.streamId = 7;
  kernel.gridX = 10;
  kernel.gridY = 11;
  kernel.gridZ = 12;
  kernel.blockX = 256;
  kernel.blockY = 2;
  kernel.blockZ = 1;
  kernel.staticSharedMemory = 1024;
  kernel.dynamicSharedMemory = 65536;
  kernel.localMemoryPerThread = 16;
  kernel.correlationId = 42;
  kernel.name = "_Z6kernelv";
  kernel.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_REGULAR;
  kernel.graphNodeId = 0;
  return kernel;
}

void expect_example(const Recorded& sink) {
  ASSERT_EQ(sink.kernels.size(), 1U);
  EXPECT_TRUE(sink.losses.empty());
  const KernelRecord& kernel = sink.kernels[0];
  EXPECT_EQ(kernel.correlation, 42U);
  EXPECT_EQ(kernel.graph_node, 0U);
  EXPECT_EQ(kernel.graph, 0U);
  EXPECT_EQ(kernel.origin, Origin::kApi);
  EXPECT_EQ(kernel.device, 1U);
  EXPECT_EQ(kernel.context, 2U);
  EXPECT_EQ(kernel.stream, 7U);
  EXPECT_EQ(kernel.start_ns, 1'700'000'000'000'000'001);
  EXPECT_EQ(kernel.end_ns, 1'700'000'000'000'000'999);
  EXPECT_EQ(sink.ids.at("_Z6kernelv"), kernel.name.value);
  EXPECT_EQ(kernel.grid, (Dim3{10, 11, 12}));
  EXPECT_EQ(kernel.block, (Dim3{256, 2, 1}));
  EXPECT_EQ(kernel.registers_per_thread, 96U);
  EXPECT_EQ(kernel.static_shared_bytes, 1024U);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 65536U);
  EXPECT_EQ(kernel.local_bytes_per_thread, 16U);
  EXPECT_FALSE(kernel.cooperative);
}

TEST(DecodeKernel, LayoutOfCuda11_1HasNoCluster) {
  auto record = example_kernel<CUpti_ActivityKernel5>();
  record.graphId = 0;
  const Recorded sink = decode(kCuda11_1, record);
  expect_example(sink);
  EXPECT_EQ(sink.kernels[0].cluster, (Dim3{0, 0, 0}));
}

TEST(DecodeKernel, LayoutOfCuda11_0HasNoGraphId) {
  auto record = example_kernel<CUpti_ActivityKernel5>();  // graphId stays garbage.
  expect_example(decode(kCuda11_0, record));
}

TEST(DecodeKernel, LayoutOfCuda11_8HasClusters) {
  auto record = example_kernel<CUpti_ActivityKernel8>();
  record.graphId = 0;
  record.clusterX = 2;
  record.clusterY = 3;
  record.clusterZ = 4;
  const Recorded sink = decode(kCuda11_8, record);
  expect_example(sink);
  EXPECT_EQ(sink.kernels[0].cluster, (Dim3{2, 3, 4}));
}

TEST(DecodeKernel, LayoutOfCuda12) {
  auto record = example_kernel<CUpti_ActivityKernel9>();
  record.graphId = 0;
  record.clusterX = record.clusterY = record.clusterZ = 1;
  const Recorded sink = decode(kCuda12_0, record);
  expect_example(sink);
  EXPECT_EQ(sink.kernels[0].cluster, (Dim3{1, 1, 1}));
}

TEST(DecodeKernel, LayoutOfCuda13AndNewerPrefixes) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.graphId = 0;
  record.isDeviceLaunched = 0;
  expect_example(decode(kCuda13_0, record));
  expect_example(decode(kCuda13_4, record));
}

TEST(DecodeKernel, GraphNodesKeepBothIds) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.graphNodeId = 0x1'0000'0005;
  record.graphId = 1;
  record.isDeviceLaunched = 0;
  const Recorded sink = decode(kCuda13_0, record);
  EXPECT_EQ(sink.kernels.at(0).origin, Origin::kGraph);
  EXPECT_EQ(sink.kernels.at(0).graph_node, 0x1'0000'0005U);
  EXPECT_EQ(sink.kernels.at(0).graph, 1U);
  EXPECT_EQ(sink.kernels.at(0).correlation, 42U);
}

TEST(DecodeKernel, OriginsWithoutALaunchCall) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.graphId = 0;
  record.isDeviceLaunched = 1;
  EXPECT_EQ(decode(kCuda13_0, record).kernels.at(0).origin, Origin::kDevice);
  record.isDeviceLaunched = 0;
  record.correlationId = 0;
  EXPECT_EQ(decode(kCuda13_0, record).kernels.at(0).origin, Origin::kNone);
}

TEST(DecodeKernel, CooperativeLaunchesAndMissingNames) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
  record.name = nullptr;
  const Recorded sink = decode(kCuda13_0, record);
  EXPECT_TRUE(sink.kernels.at(0).cooperative);
  EXPECT_FALSE(sink.kernels.at(0).name);
}

TEST(DecodeKernel, MissingTimesAreCountedAndTheRecordKept) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.start = record.end = 0;
  const Recorded sink = decode(kCuda13_0, record);
  EXPECT_EQ(sink.kernels.size(), 1U);
  EXPECT_EQ(sink.losses.at(Loss::kZeroTimestamp), 1U);
}

// As CUPTI 13.0 tells them: graph 0, the launch's correlation, no times if the node did not run.
TEST(DecodeKernel, BodiesOfConditionalNodesThatWereNotWatched) {
  auto record = example_kernel<CUpti_ActivityKernel10>();
  record.graphNodeId = 34359738374;
  record.graphId = 0;
  const Recorded ran = decode(kCuda13_0, record);
  EXPECT_EQ(ran.kernels.size(), 1U);
  EXPECT_EQ(ran.losses.at(Loss::kUnwatchedBody), 1U);
  record.start = record.end = 0;
  const Recorded other_branch = decode(kCuda13_0, record);
  EXPECT_TRUE(other_branch.kernels.empty());
  EXPECT_TRUE(other_branch.losses.empty());
  record.graphId = 8;
  const Recorded usual = decode(kCuda13_0, record);
  EXPECT_EQ(usual.kernels.size(), 1U);
  EXPECT_FALSE(usual.losses.contains(Loss::kUnwatchedBody));
}

template <typename Memcpy>
Memcpy example_copy() {
  auto copy = garbage<Memcpy>();
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  copy.bytes = 123'456'789'012;
  copy.start = 5;
  copy.end = 6;
  copy.deviceId = 3;
  copy.contextId = 1;
  copy.streamId = 13;
  copy.correlationId = 9;
  copy.graphNodeId = 0;
  return copy;
}

TEST(DecodeMemcpy, LayoutsFromCuda11To13) {
  auto oldest = example_copy<CUpti_ActivityMemcpy3>();
  auto older = example_copy<CUpti_ActivityMemcpy4>();
  older.graphId = 0;
  auto newest = example_copy<CUpti_ActivityMemcpy6>();
  newest.graphId = 0;
  newest.isDeviceLaunched = 0;
  newest.copyCount = 4;
  for (const auto& [sink, count] : {std::pair{decode(kCuda11_0, oldest), 1U},
                                    {decode(kCuda11_1, older), 1U},
                                    {decode(kCuda13_0, newest), 4U}}) {
    ASSERT_EQ(sink.copies.size(), 1U);
    const MemcpyRecord& copy = sink.copies[0];
    EXPECT_EQ(copy.copy_kind, 1);
    EXPECT_EQ(copy.source, MemoryKind::kPinned);
    EXPECT_EQ(copy.destination, MemoryKind::kDevice);
    EXPECT_TRUE(copy.async);
    EXPECT_EQ(copy.bytes, 123'456'789'012U);
    EXPECT_EQ(copy.count, count);
    EXPECT_EQ(copy.device, 3U);
    EXPECT_EQ(copy.peer_device, 3U);
    EXPECT_EQ(copy.stream, 13U);
    EXPECT_EQ(copy.correlation, 9U);
    EXPECT_EQ(copy.graph, 0U);
    EXPECT_EQ(copy.origin, Origin::kApi);
  }
}

TEST(DecodeMemcpy, PeerCopiesNameBothDevices) {
  auto copy = garbage<CUpti_ActivityMemcpyPtoP4>();
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  copy.srcKind = copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.flags = 0;
  copy.bytes = 64;
  copy.start = 5;
  copy.end = 6;
  copy.deviceId = 0;
  copy.srcDeviceId = 0;
  copy.dstDeviceId = 1;
  copy.correlationId = 9;
  copy.graphNodeId = 0;
  copy.graphId = 0;
  const Recorded sink = decode(kCuda13_0, copy);
  ASSERT_EQ(sink.copies.size(), 1U);
  EXPECT_EQ(sink.copies[0].copy_kind, 10);
  EXPECT_EQ(sink.copies[0].device, 0U);
  EXPECT_EQ(sink.copies[0].peer_device, 1U);
  EXPECT_FALSE(sink.copies[0].async);
  EXPECT_EQ(sink.copies[0].count, 1U);
}

TEST(DecodeMemset, ValueMemoryAndBytes) {
  auto set = garbage<CUpti_ActivityMemset4>();
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.value = 0xffffffff;
  set.bytes = 4096;
  set.start = 5;
  set.end = 6;
  set.deviceId = 0;
  set.correlationId = 11;
  set.flags = 0;
  set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  set.graphNodeId = 0;
  set.graphId = 0;
  set.isDeviceLaunched = 0;
  const Recorded sink = decode(kCuda13_0, set);
  ASSERT_EQ(sink.sets.size(), 1U);
  EXPECT_EQ(sink.sets[0].value, 0xffffffffU);
  EXPECT_EQ(sink.sets[0].bytes, 4096U);
  EXPECT_EQ(sink.sets[0].memory, MemoryKind::kManaged);
  EXPECT_FALSE(sink.sets[0].async);
}

template <typename Memory>
Memory example_memory(CUpti_ActivityMemoryOperationType operation) {
  auto memory = garbage<Memory>();
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = operation;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.correlationId = 55;
  memory.address = 0x7f0000000000;
  memory.bytes = 6'442'450'944;
  memory.timestamp = 1'700'000'000'000'000'001;
  memory.deviceId = 2;
  memory.contextId = 3;
  memory.streamId = CUPTI_INVALID_STREAM_ID;
  memory.name = nullptr;
  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID;
  return memory;
}

template <typename Memory>
class DecodeMemory : public testing::Test {};
using MemoryLayouts =
    testing::Types<CUpti_ActivityMemory2, CUpti_ActivityMemory3, CUpti_ActivityMemory4>;
TYPED_TEST_SUITE(DecodeMemory, MemoryLayouts);

TYPED_TEST(DecodeMemory, AllocationsAndReleases) {
  auto memory = example_memory<TypeParam>(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  AllocationRecord expected{.correlation = 55,
                            .operation = AllocationRecord::Operation::kAllocate,
                            .memory = MemoryKind::kDevice,
                            .device = 2,
                            .context = 3,
                            .stream = {},
                            .time_ns = 1'700'000'000'000'000'001,
                            .address = 0x7f0000000000,
                            .bytes = 6'442'450'944,
                            .name = {},
                            .pool = {},
                            .pool_bytes = {}};
  const auto decoded = [&] { return decode(kCuda13_0, memory).others.allocations.at(0); };
  EXPECT_EQ(decoded(), expected);

  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  memory.contextId = CUPTI_INVALID_CONTEXT_ID;
  expected.operation = AllocationRecord::Operation::kRelease;
  expected.memory = MemoryKind::kPinned;
  expected.context.reset();
  EXPECT_EQ(decoded(), expected);
}

TYPED_TEST(DecodeMemory, PoolsTellTheirSizeOnlyInTheirOwnProcess) {
  auto memory = example_memory<TypeParam>(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  memory.streamId = 7;
  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  memory.memoryPoolConfig.address = 0x5000;
  memory.memoryPoolConfig.pool.size = 33'554'432;
  const auto decoded = [&] { return decode(kCuda13_0, memory).others.allocations.at(0); };
  EXPECT_EQ(decoded().stream, 7U);
  EXPECT_EQ(decoded().pool, 0x5000U);
  EXPECT_EQ(decoded().pool_bytes, 33'554'432U);

  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED;
  EXPECT_EQ(decoded().pool, 0x5000U);
  EXPECT_FALSE(decoded().pool_bytes);
}

TYPED_TEST(DecodeMemory, VariablesHaveNamesAndWhatIsUnknownIsKept) {
  auto memory = example_memory<TypeParam>(CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID);
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC;
  memory.name = "weights";
  memory.timestamp = 0;
  Recorded sink = decode(kCuda13_0, memory);
  const AllocationRecord& record = sink.others.allocations.at(0);
  EXPECT_EQ(record.operation, AllocationRecord::Operation::kUnknown);
  EXPECT_EQ(record.memory, MemoryKind::kDeviceStatic);
  EXPECT_EQ(record.name.value, sink.ids.at("weights"));
  EXPECT_EQ(sink.losses.at(Loss::kZeroTimestamp), 1U);
}

TEST(DecodeOverhead, NamesTheKindAndTheThread) {
  auto overhead = garbage<CUpti_ActivityOverhead>();
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.threadId = 4711;
  overhead.start = 5;
  overhead.end = 9;
  Recorded sink = decode(kCuda12_0, overhead);
  ASSERT_EQ(sink.overheads.size(), 1U);
  EXPECT_EQ(sink.ids.at("LAZY_FUNCTION_LOADING"), sink.overheads[0].kind.value);
  EXPECT_EQ(sink.overheads[0].os_tid, 4711U);
  EXPECT_EQ(sink.overheads[0].end_ns, 9);
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_PROCESS;
  EXPECT_EQ(decode(kCuda12_0, overhead).overheads.at(0).os_tid, 0U);
}

template <typename Graph>
Graph example_graph(CUpti_ActivityKind kind) {
  auto graph = garbage<Graph>();
  graph.kind = kind;
  graph.start = 500;
  graph.end = 900;
  graph.deviceId = 1;
  graph.contextId = 2;
  graph.streamId = 13;
  graph.graphId = 9;
  return graph;
}

void expect_example_graph(const Recorded& sink) {
  ASSERT_EQ(sink.kernels.size(), 1U);
  EXPECT_TRUE(sink.losses.empty());
  const KernelRecord& graph = sink.kernels[0];
  EXPECT_EQ(sink.ids.at("[CUDA graph 9]"), graph.name.value);
  EXPECT_EQ(graph.graph, 9U);
  EXPECT_EQ(graph.graph_node, 0U);
  EXPECT_EQ(graph.start_ns, 500);
  EXPECT_EQ(graph.end_ns, 900);
  EXPECT_EQ(graph.device, 1U);
  EXPECT_EQ(graph.context, 2U);
  EXPECT_EQ(graph.stream, 13U);
  EXPECT_EQ(graph.grid, (Dim3{0, 0, 0}));
  EXPECT_EQ(graph.block, (Dim3{0, 0, 0}));
}

TEST(DecodeGraph, ALaunchIsOnePieceOfWork) {
  auto newest = example_graph<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  newest.correlationId = 42;
  const Recorded sink = decode(kCuda13_0, newest);
  expect_example_graph(sink);
  EXPECT_EQ(sink.kernels[0].origin, Origin::kGraph);
  EXPECT_EQ(sink.kernels[0].correlation, 42U);

  auto oldest = example_graph<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  oldest.correlationId = 42;
  expect_example_graph(decode(kCuda12_0, oldest));
}

TEST(DecodeGraph, OneThatBeginsOnTheHostHasTheDeviceOfItsEnd) {
  auto record = example_graph<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  record.deviceId = record.contextId = INT32_MAX;
  record.endDeviceId = 1;
  record.endContextId = 2;
  expect_example_graph(decode(kCuda13_0, record));
}

TEST(DecodeGraph, WithoutTimesIsCounted) {
  auto record = example_graph<CUpti_ActivityGraphTrace2>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  record.start = record.end = 0;
  EXPECT_EQ(decode(kCuda13_0, record).losses.at(Loss::kZeroTimestamp), 1U);
}

TEST(DecodeGraph, OneThatAKernelLaunchesHasNoCall) {
  const Recorded sink =
      decode(kCuda13_0,
             example_graph<CUpti_ActivityDeviceGraphTrace>(CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE));
  expect_example_graph(sink);
  EXPECT_EQ(sink.kernels[0].origin, Origin::kDevice);
  EXPECT_EQ(sink.kernels[0].correlation, 0U);
}

TEST(DecodeUnknown, IsCounted) {
  CUpti_Activity record{CUPTI_ACTIVITY_KIND_PCIE};
  const Recorded sink = decode(kCuda13_0, record);
  EXPECT_EQ(sink.losses.at(Loss::kUnknownRecord), 1U);
}

/// Stands for cuptiActivityGetNextRecord over a buffer of Synchronization2 records.
int next_record(std::uint8_t* buffer, std::size_t valid_bytes, void** record) {
  constexpr std::size_t kSize = sizeof(CUpti_ActivityMemset4);
  auto* next = *record == nullptr ? buffer : static_cast<std::uint8_t*>(*record) + kSize;
  if (next + kSize > buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  if (reinterpret_cast<CUpti_Activity*>(next)->kind == CUPTI_ACTIVITY_KIND_INVALID)
    return CUPTI_ERROR_INVALID_KIND;
  *record = next;
  return CUPTI_SUCCESS;
}

TEST(DecodeBuffer, WalksAllRecordsAndStopsAtAnIncompleteOne) {
  std::vector<CUpti_ActivityMemset4> records(3, garbage<CUpti_ActivityMemset4>());
  for (auto& record : records) {
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    record.deviceId = 0;
    record.isDeviceLaunched = 0;
  }
  CorrelationWidener correlations;
  correlations.start_session(0);
  const DecodeContext context{kCuda13_0, next_record, &correlations};
  auto* buffer = reinterpret_cast<std::uint8_t*>(records.data());
  const std::size_t bytes = records.size() * sizeof records[0];

  Recorded all;
  EXPECT_EQ(decode_activity_buffer(context, buffer, bytes, all), 3U);
  EXPECT_EQ(all.sets.size(), 3U);
  EXPECT_TRUE(all.losses.empty());

  records[1].kind = CUPTI_ACTIVITY_KIND_INVALID;
  Recorded some;
  EXPECT_EQ(decode_activity_buffer(context, buffer, bytes, some), 1U);
  EXPECT_EQ(some.losses.at(Loss::kUnknownRecord), 1U);

  Recorded none;
  EXPECT_EQ(decode_activity_buffer(context, buffer, 0, none), 0U);
  EXPECT_TRUE(none.losses.empty());
}

}  // namespace
}  // namespace prof::collectors
