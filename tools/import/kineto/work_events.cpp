// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/work_events.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "libprof/model/copy_words.hpp"
#include "tools/import/builder/memory_words.hpp"
#include "tools/import/kineto/numbers.hpp"

namespace prof::importers {
namespace {

Dim3 dim3_of(const EventValue* list, Numbers32& numbers) {
  if (list == nullptr || list->items.size() != 3) return {};
  const auto size = [&](std::size_t at) {
    const EventValue& item = list->items[at];
    return item.kind == EventValue::Kind::kNone ? 1 : numbers.of(&item);
  };
  return {size(0), size(1), size(2)};
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

void WorkEvents::fill(const TraceEvent& event, Span span, Numbers32& numbers, GpuWork& work) {
  work.correlation = correlation_of(event);
  work.graph_node = event.number("graph node id").value_or(0);
  work.graph = numbers("graph id");
  if (work.graph_node != 0) work.origin = Origin::kGraph;
  // Older versions have the device and the stream only as the event's process and thread.
  work.device = numbers.of("device", event.process);
  work.context = numbers("context");
  const EventValue& stream = numbers.value_of("stream", event.thread);
  work.stream = stream.text.starts_with('-') ? 0 : streams_.of(stream);
  work.start_ns = span.start_ns;
  work.end_ns = span.end_ns;
}

KernelRecord WorkEvents::kernel_of(const TraceEvent& event, Span span) {
  Numbers32 numbers(event, damage_);
  KernelRecord record;
  fill(event, span, numbers, record);
  record.grid = dim3_of(event.arg("grid"), numbers);
  record.block = dim3_of(event.arg("block"), numbers);
  record.registers_per_thread = numbers("registers per thread");
  // The sum of static and dynamic memory, which the file does not separate.
  record.dynamic_shared_bytes = numbers("shared memory");
  return record;
}

MemcpyRecord WorkEvents::memcpy_of(const TraceEvent& event, Span span) {
  Numbers32 numbers(event, damage_);
  MemcpyRecord record;
  fill(event, span, numbers, record);
  // "Memcpy DtoH (Device -> Pinned)"
  record.copy_kind = place_of(kCopyWords, between(event.name, "Memcpy ", " "));
  record.source = memory_of(between(event.name, "(", " -> "));
  record.destination = memory_of(between(event.name, " -> ", ")"));
  const EventValue* const peer = event.arg("toDevice");
  record.peer_device = peer != nullptr && peer->whole() ? numbers.of(peer) : record.device;
  record.bytes = bytes_of(event);
  return record;
}

MemsetRecord WorkEvents::memset_of(const TraceEvent& event, Span span) {
  Numbers32 numbers(event, damage_);
  MemsetRecord record;
  fill(event, span, numbers, record);
  record.memory = memory_of(between(event.name, "(", ")"));
  record.bytes = bytes_of(event);
  return record;
}

SyncRecord WorkEvents::sync_of(const TraceEvent& event, Span span) {
  Numbers32 numbers(event, damage_);
  SyncRecord record;
  record.correlation = correlation_of(event);
  const auto* const known = std::ranges::find_if(
      kSyncs, [&](const SyncWord& word) { return event.name.starts_with(word.name); });
  if (known != kSyncs.end()) record.type = known->type;
  // CUPTI gives numbers of all ones where there is none.
  const auto or_none = [](auto number) {
    return number == std::numeric_limits<std::uint32_t>::max() ? 0 : number;
  };
  record.context = numbers("context");
  if (const EventValue* const stream = event.arg("stream"); stream && stream->whole()) {
    const bool is_stream = !stream->text.starts_with('-') && or_none(*stream->whole()) != 0;
    if (is_stream) record.stream = streams_.of(*stream);
  }
  record.event = or_none(numbers("wait_on_cuda_event_id"));
  record.start_ns = span.start_ns;
  record.end_ns = span.end_ns;
  return record;
}

}  // namespace prof::importers
