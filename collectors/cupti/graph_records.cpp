// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/graph_records.hpp"

#include <cstring>
#include <string_view>

#include "collectors/cupti/graph_event.hpp"

namespace prof::collectors {
namespace {

/// Rings are raw bytes, so an event is copied out.
template <typename Event>
bool read(const EventHeader& header, Event& event) {
  if (header.kind != Event::kKind || header.bytes < sizeof event) return false;
  std::memcpy(static_cast<void*>(&event), &header, sizeof event);
  return true;
}

/// The kernel's name behind an event; none if the event is damaged.
template <typename Event>
std::optional<StringId> read_name(const EventHeader& header, const Event& event,
                                  ActivitySink& sink) {
  if (event.name_bytes > header.bytes - sizeof event) return std::nullopt;
  const std::string_view name(reinterpret_cast<const char*>(&header) + sizeof event,
                              event.name_bytes);
  return name.empty() ? StringId{} : sink.intern(name);
}

bool read_node(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  GraphNodeEvent event{};
  if (!read(header, event)) return false;
  const auto name = read_name(header, event, sink);
  if (!name) return false;
  GraphNodeRecord record;
  record.function = *name;
  record.graph_node = event.graph_node;
  record.graph = event.graph;
  record.original_node = event.original_node;
  record.node_type = event.node_type;
  record.grid = event.grid;
  record.thread = thread;
  record.stack = event.stack;
  record.time_ns = event.time_ns;
  sink.records().on(record);
  return true;
}

bool read_exec(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  GraphExecEvent event{};
  if (!read(header, event)) return false;
  sink.records().on(
      GraphExecRecord{event.graph_exec, event.graph, thread, event.start_ns, event.end_ns});
  return true;
}

bool read_end(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  GraphEndEvent event{};
  if (!read(header, event)) return false;
  sink.records().on(GraphEndRecord{event.graph, thread, event.time_ns});
  return true;
}

bool read_update(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  GraphUpdateEvent event{};
  if (!read(header, event)) return false;
  sink.records().on(
      GraphUpdateRecord{event.graph_node, event.like_node, thread, event.stack, event.time_ns});
  return true;
}

bool read_launch(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  GraphLaunchEvent event{};
  if (!read(header, event)) return false;
  sink.records().on(GraphLaunchRecord{event.correlation, event.graph_exec, thread});
  return true;
}

}  // namespace

bool read_graph_event(ThreadId thread, const EventHeader& header, ActivitySink& sink) {
  if (header.kind == kGraphNodeEvent) return read_node(thread, header, sink);
  if (header.kind == kGraphExecEvent) return read_exec(thread, header, sink);
  if (header.kind == kGraphEndEvent) return read_end(thread, header, sink);
  if (header.kind == kGraphUpdateEvent) return read_update(thread, header, sink);
  if (header.kind == kGraphLaunchEvent) return read_launch(thread, header, sink);
  // An event of a standby that waited for this capture: its graph is known, this kernel's name is
  // not.
  return header.kind == kGraphKernelEvent;
}

std::optional<LiveGraphs::Kernel> read_graph_kernel(const EventHeader& header, ActivitySink& sink) {
  GraphKernelEvent event{};
  if (!read(header, event)) return std::nullopt;
  const auto name = read_name(header, event, sink);
  if (!name) return std::nullopt;
  return LiveGraphs::Kernel{event.graph_node, *name, event.grid};
}

}  // namespace prof::collectors
