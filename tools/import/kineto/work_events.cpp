// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/work_events.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace prof::importers {
namespace {

std::uint32_t number32(const TraceEvent& event, std::string_view name) {
  return static_cast<std::uint32_t>(event.number(name).value_or(0));
}

/// CUPTI's correlation ids have 32 bits; those above 2^31 may be printed as negative numbers.
Correlation correlation_of(const TraceEvent& event) { return number32(event, "correlation"); }

Dim3 dim3_of(const EventValue* list) {
  if (list == nullptr || list->items.size() != 3) return {};
  const auto size = [list](std::size_t at) {
    return static_cast<std::uint32_t>(list->items[at].whole().value_or(1));
  };
  return {size(0), size(1), size(2)};
}

void fill(const TraceEvent& event, Span span, GpuWork& work) {
  work.correlation = correlation_of(event);
  work.graph_node = event.number("graph node id").value_or(0);
  work.graph = number32(event, "graph id");
  if (work.graph_node != 0) work.origin = Origin::kGraph;
  // Older versions have the device only as the event's process.
  const auto device = event.number("device");
  work.device = static_cast<std::uint32_t>(device ? *device : event.process.whole().value_or(0));
  work.context = number32(event, "context");
  const auto stream = event.number("stream");
  work.stream = static_cast<std::uint32_t>(stream ? *stream : event.thread.whole().value_or(0));
  work.start_ns = span.start_ns;
  work.end_ns = span.end_ns;
}

/// Words of "Memcpy DtoH (Device -> Pinned)", by their numbers in CUPTI.
constexpr std::array<std::string_view, 11> kCopies = {
    "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
constexpr std::array<std::string_view, 8> kMemories = {"Unknown",       "Pageable",      "Pinned",
                                                       "Device",        "Array",         "Managed",
                                                       "Device Static", "Managed Static"};

template <typename Words>
std::uint8_t place_of(const Words& words, std::string_view word) {
  const auto* const found = std::ranges::find(words, word);
  return found == words.end() ? 0 : static_cast<std::uint8_t>(found - words.begin());
}

MemoryKind memory_of(std::string_view word) {
  return static_cast<MemoryKind>(place_of(kMemories, word));
}

/// The text between two others; empty if it is not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

struct SyncWord {
  std::string_view name;
  SyncRecord::Type type;
};
constexpr std::array kSyncs = {SyncWord{"Event Sync", SyncRecord::Type::kEvent},
                               SyncWord{"Stream Wait Event", SyncRecord::Type::kStreamWaitEvent},
                               SyncWord{"Stream Sync", SyncRecord::Type::kStream},
                               SyncWord{"Context Sync", SyncRecord::Type::kContext}};

}  // namespace

KernelRecord kernel_of(const TraceEvent& event, Span span) {
  KernelRecord record;
  fill(event, span, record);
  record.grid = dim3_of(event.arg("grid"));
  record.block = dim3_of(event.arg("block"));
  record.registers_per_thread = number32(event, "registers per thread");
  // The sum of static and dynamic memory, which the file does not tell apart.
  record.dynamic_shared_bytes = number32(event, "shared memory");
  return record;
}

MemcpyRecord memcpy_of(const TraceEvent& event, Span span) {
  MemcpyRecord record;
  fill(event, span, record);
  record.copy_kind = place_of(kCopies, between(event.name, "Memcpy ", " "));
  record.source = memory_of(between(event.name, "(", " -> "));
  record.destination = memory_of(between(event.name, " -> ", ")"));
  const auto peer = event.number("toDevice");
  record.peer_device = static_cast<std::uint32_t>(peer.value_or(record.device));
  record.bytes = event.number("bytes").value_or(0);
  return record;
}

MemsetRecord memset_of(const TraceEvent& event, Span span) {
  MemsetRecord record;
  fill(event, span, record);
  record.memory = memory_of(between(event.name, "(", ")"));
  record.bytes = event.number("bytes").value_or(0);
  return record;
}

SyncRecord sync_of(const TraceEvent& event, Span span) {
  SyncRecord record;
  record.correlation = correlation_of(event);
  const auto* const known = std::ranges::find_if(
      kSyncs, [&](const SyncWord& word) { return event.name.starts_with(word.name); });
  if (known != kSyncs.end()) record.type = known->type;
  record.context = number32(event, "context");
  record.stream = number32(event, "stream");
  record.event = number32(event, "wait_on_cuda_event_id");
  record.start_ns = span.start_ns;
  record.end_ns = span.end_ns;
  return record;
}

}  // namespace prof::importers
