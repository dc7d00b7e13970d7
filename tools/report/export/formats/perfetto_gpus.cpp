// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See perfetto_gpus.hpp.
#include "tools/report/export/formats/perfetto_gpus.hpp"

#include <fmt/format.h>

namespace prof::exports {

using perfetto::InternedData;
using protozero::pbf_builder;

PerfettoGpus::PerfettoGpus(const TraceSet& traces, PerfettoPackets& packets)
    : traces_(traces), packets_(packets) {
  for (std::size_t trace = 0; trace < traces.size(); ++trace) {
    for (const DeviceRow& row : traces.members()[trace].reader.devices()) gpu(trace, row.device);
  }
}

std::int32_t PerfettoGpus::gpu(std::size_t trace, std::uint32_t device) {
  const GpuOfTrace key{trace, device};
  const auto number = static_cast<std::int32_t>(gpus_.size());
  const auto [found, is_new] = gpus_.try_emplace(key, number);
  if (is_new) by_number_.push_back(key);
  return found->second;
}

std::uint64_t PerfettoGpus::context(std::size_t trace, std::uint32_t context, std::uint64_t pid) {
  using perfetto::GraphicsContext;
  const auto [found, is_new] = contexts_.try_emplace({trace, context}, contexts_.size() + 1);
  if (is_new) {
    std::string message;
    pbf_builder<GraphicsContext> builder(message);
    builder.add_uint64(GraphicsContext::kIid, found->second);
    builder.add_int32(GraphicsContext::kPid, static_cast<std::int32_t>(pid));
    builder.add_enum(GraphicsContext::kApi, perfetto::kApiCuda);
    packets_.intern(InternedData::kGraphicsContexts, message);
  }
  return found->second;
}

std::uint64_t PerfettoGpus::specify(std::string_view name, std::string_view description,
                                    bool is_compute) {
  using perfetto::GpuSpecification;
  std::string message;
  pbf_builder<GpuSpecification> builder(message);
  builder.add_uint64(GpuSpecification::kIid, ++specifications_);
  packets_.add_text(builder, GpuSpecification::kName, name);
  if (!description.empty()) {
    packets_.add_text(builder, GpuSpecification::kDescription, description);
  }
  builder.add_enum(GpuSpecification::kCategory,
                   is_compute ? perfetto::kCategoryCompute : perfetto::kCategoryOther);
  packets_.intern(InternedData::kGpuSpecifications, message);
  return specifications_;
}

std::uint64_t PerfettoGpus::stream(std::size_t trace, const GpuRow& work) {
  const GpuOfTrace gpu{trace, work.device};
  std::uint64_t& iid = streams_[{gpu, work.context, work.stream}];
  if (iid == 0) {
    iid = specify(fmt::format("stream {}", work.stream),
                  fmt::format("{}, context {}", name_of_gpu(gpu), work.context), true);
  }
  return iid;
}

std::uint64_t PerfettoGpus::stage(std::string_view kind) {
  const auto found = stages_.find(kind);
  if (found != stages_.end()) return found->second;
  return stages_.emplace(kind, specify(kind, {}, kind == "kernel")).first->second;
}

std::string PerfettoGpus::name_of_gpu(const GpuOfTrace& gpu) const {
  const TraceMember& trace = traces_.members()[gpu.trace];
  const std::string name = gpu_name(trace.reader, gpu.device);
  return traces_.size() > 1 ? exports::name_of(trace.identity) + " " + name : name;
}

void PerfettoGpus::write_names() {
  if (by_number_.empty()) return;
  std::string info;
  pbf_builder<perfetto::GpuInfo> builder(info);
  for (const GpuOfTrace& gpu : by_number_) {
    pbf_builder<perfetto::Gpu> one(builder, perfetto::GpuInfo::kGpus);
    packets_.add_text(one, perfetto::Gpu::kName, name_of_gpu(gpu));
  }
  packets_.write(perfetto::TracePacket::kGpuInfo, info);
}

}  // namespace prof::exports
