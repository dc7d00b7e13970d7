// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One record of each kind with every field set to a non-default value, so that lost fields are
// detected.
#pragma once

#include "libprof/source/record_sink.hpp"
#include "libprof/source/text_template.hpp"

namespace prof {

inline void fill_work(GpuWork& work, std::int64_t start_ns) {
  work.correlation = 0x500000003;
  work.graph_node = 0x700000009;
  work.graph = 7;
  work.origin = Origin::kGraph;
  work.device = 3;
  work.context = 2;
  work.stream = 13;
  work.start_ns = start_ns;
  work.end_ns = start_ns + 4321;
}

inline void feed_full_records(RecordSink& sink) {
  constexpr std::int64_t kTime = 1'795'219'187'554'909'269;
  sink.on(MetaRecord{"start_realtime_ns", "1795219187000000000"});
  sink.on(MetaRecord{"command_line", "./app --option 'a b'"});
  for (std::uint32_t id = 1; id < 20; ++id) {
    sink.on(StringRecord{StringId{id}, "text " + std::to_string(id)});
  }
  sink.on(StringRecord{StringId{20}, std::string_view("any \0 byte \xff\xfe \" \\ \n", 18)});
  sink.on(StringRecord{StringId{21}, std::string("op, seq = ") + kNumberPlace});
  sink.on(ThreadRecord{ThreadId{4}, 1234, 2, StringId{5}});
  DeviceRecord device;
  device.device = 3;
  device.name = "A GPU";
  device.uuid = "GPU-01234567-0123-0123-0123-0123456789ab";
  device.compute_major = 9;
  device.compute_minor = 1;
  device.sm_count = 132;
  device.core_clock_khz = 1980000;
  device.memory_clock_khz = 3201000;
  device.memory_bus_bits = 6144;
  device.memory_bytes = 150'000'000'000;
  device.memory_bandwidth_bytes_per_s = 4'900'000'000'000;
  device.l2_bytes = 62'914'560;
  sink.on(device);
  sink.on(DomainRecord{DomainId{2}, StringId{6}});
  sink.on(NameRecord{NameRecord::Kind::kStream, DomainId{2}, 0xfedcba9876543210u, StringId{7}});
  const std::string numbers = encode_numbers({616});
  RangeRecord range;
  range.id = 0x400000012;
  range.parent = 0x400000011;
  range.alias_of = 0x400000010;
  range.kind = RangeRecord::Kind::kAlias;
  range.thread = ThreadId{4};
  range.end_thread = ThreadId{5};
  range.domain = DomainId{2};
  range.text = StringId{21};
  range.numbers = numbers;
  range.category = 17;
  range.color_argb = 0xff00ff00;
  range.payload = {Payload::Type::kDouble, 0xbff0000000000000u};
  range.op = {StringId{11}, 787, ThreadId{4}};
  range.start_ns = kTime;
  range.end_ns = kTime + 99;
  sink.on(range);
  MarkRecord mark;
  mark.thread = ThreadId{4};
  mark.domain = DomainId{2};
  mark.parent = 0x400000012;
  mark.text = StringId{21};
  mark.numbers = numbers;
  mark.category = 18;
  mark.color_argb = 0xff0000ff;
  mark.payload = {Payload::Type::kInt32, 0xffffffffu};
  mark.time_ns = kTime + 5;
  sink.on(mark);
  sink.on(CollectiveRecord{7, 0xf5f413c6880c9251, 41, 3, 8, 5, 2, StringId{11}, 4096, StringId{12},
                           StringId{13}, StringId{14}, 24});
  sink.on(PayloadSchemaRecord{DomainId{2}, 77, StringId{8}, "[{\"name\":\"x\"}]"});
  sink.on(PayloadBlobRecord{0x400000012, DomainId{2}, 77, std::string_view("\0\x01\xff", 3)});
  sink.on(DocumentRecord{"inductor.wrapper", "c1", std::string_view("x\x9c\0", 3)});
  ApiRecord api;
  api.correlation = 0x500000003;
  api.depth = 1;
  api.domain = ApiRecord::Domain::kDriver;
  api.function = StringId{9};
  api.thread = ThreadId{4};
  api.stack = 0x400000012;
  api.status = -700;
  api.start_ns = kTime - 10;
  api.end_ns = kTime + 10;
  sink.on(api);
  KernelRecord kernel;
  fill_work(kernel, kTime + 100);
  kernel.name = StringId{10};
  kernel.grid = {1024, 65535, 3};
  kernel.block = {128, 2, 4};
  kernel.cluster = {2, 1, 1};
  kernel.registers_per_thread = 255;
  kernel.static_shared_bytes = 1024;
  kernel.dynamic_shared_bytes = 229376;
  kernel.local_bytes_per_thread = 16;
  kernel.cooperative = true;
  sink.on(kernel);
  MemcpyRecord memcpy;
  fill_work(memcpy, kTime + 200);
  memcpy.copy_kind = 10;
  memcpy.source = MemoryKind::kPinned;
  memcpy.destination = MemoryKind::kDevice;
  memcpy.async = true;
  memcpy.peer_device = 5;
  memcpy.bytes = 0x123456789a;
  memcpy.count = 12;
  sink.on(memcpy);
  MemsetRecord memset;
  fill_work(memset, kTime + 300);
  memset.memory = MemoryKind::kManagedStatic;
  memset.async = true;
  memset.value = 0xdeadbeef;
  memset.bytes = 4096;
  sink.on(memset);
  SyncRecord sync;
  sync.correlation = 0x500000004;
  sync.type = SyncRecord::Type::kStreamWaitEvent;
  sync.context = 2;
  sync.stream = 13;
  sync.event = 6;
  sync.start_ns = kTime + 400;
  sync.end_ns = kTime + 500;
  sink.on(sync);
  sink.on(OverheadRecord{StringId{11}, 1234, kTime + 600, kTime + 700});
  sink.on(GraphNodeRecord{0x700000009,
                          7,
                          0x600000001,
                          4,
                          StringId{9},
                          {5, 6, 7},
                          ThreadId{4},
                          0x400000012,
                          kTime - 50});
  sink.on(GraphExecRecord{7, 6, ThreadId{4}, kTime - 60, kTime - 50});
  sink.on(GraphEndRecord{7, ThreadId{4}, kTime + 990});
  sink.on(CaptureRecord{2, kTime + 5, kTime + 995, "step 10", "end of step 12", 257, 513});
  sink.on(GraphUpdateRecord{0x700000009, 0x800000002, ThreadId{4}, 0x400000012, kTime - 40});
  sink.on(GraphLaunchRecord{0x500000003, 7, ThreadId{4}});
  sink.on(ClockSyncRecord{kTime, 123'456'789, kTime + 1});
  sink.on(DeviceStateRecord{3, kTime + 800, 1980, 2619, 0, 41, 0, 0x123456789a});
  sink.on(AllocationRecord{0x500000005, AllocationRecord::Operation::kAllocate, MemoryKind::kDevice,
                           3, 2, 13, kTime + 850, 0x7f0000000000, 8192, StringId{9}, 0x5000,
                           33'554'432});
  sink.on(OsCallRecord{ThreadId{4}, 0x400000012, StringId{9}, kTime + 900, kTime + 950});
  sink.on(HostOpRecord{0x400000012, ThreadId{4}, StringId{11}, 5, 1200, 700, kTime + 910});
  sink.on(LossRecord{"dropped_records", 42, kTime, kTime + 7, "a line for a person"});
}

}  // namespace prof
