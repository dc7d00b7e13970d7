// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Every record's word and fields, listed once: the text form is written and read by walking these
// lists. A field added to a record is added here and nowhere else in this folder. Enum values are
// written as words, in the order of their enum.
#pragma once

#include <array>
#include <string_view>

#include "libprof/model/records.hpp"

namespace prof {

template <typename Enum>
struct EnumWords;

template <>
struct EnumWords<NameRecord::Kind> {
  static constexpr std::array<std::string_view, 6> kWords = {"category", "device", "context",
                                                             "stream",   "event",  "other"};
};
template <>
struct EnumWords<RangeRecord::Kind> {
  static constexpr std::array<std::string_view, 3> kWords = {"push_pop", "start_end", "alias"};
};
template <>
struct EnumWords<Payload::Type> {
  static constexpr std::array<std::string_view, 7> kWords = {"none",   "uint64", "int64", "double",
                                                             "uint32", "int32",  "float"};
};
template <>
struct EnumWords<ApiRecord::Domain> {
  static constexpr std::array<std::string_view, 2> kWords = {"runtime", "driver"};
};
template <>
struct EnumWords<Origin> {
  static constexpr std::array<std::string_view, 4> kWords = {"api", "graph", "device", "none"};
};
template <>
struct EnumWords<MemoryKind> {
  static constexpr std::array<std::string_view, 8> kWords = {
      "unknown", "pageable", "pinned",        "device",
      "array",   "managed",  "device_static", "managed_static"};
};
template <>
struct EnumWords<SyncRecord::Type> {
  static constexpr std::array<std::string_view, 5> kWords = {
      "unknown", "event", "stream_wait_event", "stream", "context"};
};

/// A string_view field of varints, written as an array of numbers.
template <auto Field>
struct Numbers {};

/// RecordFields<R>::kWord names the record; visit(v) calls v(name, &R::field) for each field.
template <typename Record>
struct RecordFields;

// clang-format off
#define PROF_RECORD_FIELDS(type, word, body)            \
  template <>                                           \
  struct RecordFields<type> {                           \
    using R = type;                                     \
    static constexpr std::string_view kWord = word;     \
    template <typename Visitor>                         \
    static constexpr void visit(Visitor&& v) body       \
  };
// clang-format on

PROF_RECORD_FIELDS(StringRecord, "string", {
  v("id", &R::id);
  v("text", &R::text);
})
PROF_RECORD_FIELDS(MetaRecord, "meta", {
  v("key", &R::key);
  v("value", &R::value);
})
PROF_RECORD_FIELDS(ThreadRecord, "thread", {
  v("id", &R::id);
  v("os_tid", &R::os_tid);
  v("generation", &R::generation);
  v("name", &R::name);
})
PROF_RECORD_FIELDS(DeviceRecord, "device", {
  v("device", &R::device);
  v("name", &R::name);
  v("uuid", &R::uuid);
  v("compute_major", &R::compute_major);
  v("compute_minor", &R::compute_minor);
  v("sm_count", &R::sm_count);
  v("core_clock_khz", &R::core_clock_khz);
  v("memory_clock_khz", &R::memory_clock_khz);
  v("memory_bus_bits", &R::memory_bus_bits);
  v("memory_bytes", &R::memory_bytes);
  v("memory_bandwidth_bytes_per_s", &R::memory_bandwidth_bytes_per_s);
  v("l2_bytes", &R::l2_bytes);
})
PROF_RECORD_FIELDS(DomainRecord, "domain", {
  v("id", &R::id);
  v("name", &R::name);
})
PROF_RECORD_FIELDS(NameRecord, "name", {
  v("kind", &R::kind);
  v("domain", &R::domain);
  v("object", &R::object);
  v("name", &R::name);
})
PROF_RECORD_FIELDS(RangeRecord, "range", {
  v("id", &R::id);
  v("parent", &R::parent);
  v("alias_of", &R::alias_of);
  v("kind", &R::kind);
  v("thread", &R::thread);
  v("end_thread", &R::end_thread);
  v("domain", &R::domain);
  v("text", &R::text);
  v("numbers", Numbers<&R::numbers>{});
  v("category", &R::category);
  v("color_argb", &R::color_argb);
  v("payload", &R::payload);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
})
PROF_RECORD_FIELDS(MarkRecord, "mark", {
  v("thread", &R::thread);
  v("domain", &R::domain);
  v("parent", &R::parent);
  v("text", &R::text);
  v("numbers", Numbers<&R::numbers>{});
  v("category", &R::category);
  v("color_argb", &R::color_argb);
  v("payload", &R::payload);
  v("time_ns", &R::time_ns);
})
PROF_RECORD_FIELDS(PayloadSchemaRecord, "payload_schema", {
  v("domain", &R::domain);
  v("schema", &R::schema);
  v("name", &R::name);
  v("fields_json", &R::fields_json);
})
PROF_RECORD_FIELDS(PayloadBlobRecord, "payload_blob", {
  v("range", &R::range);
  v("domain", &R::domain);
  v("schema", &R::schema);
  v("bytes", &R::bytes);
})
PROF_RECORD_FIELDS(ApiRecord, "api", {
  v("correlation", &R::correlation);
  v("depth", &R::depth);
  v("domain", &R::domain);
  v("function", &R::function);
  v("thread", &R::thread);
  v("stack", &R::stack);
  v("status", &R::status);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
})
PROF_RECORD_FIELDS(GpuWork, "", {
  v("correlation", &R::correlation);
  v("graph_node", &R::graph_node);
  v("graph", &R::graph);
  v("origin", &R::origin);
  v("device", &R::device);
  v("context", &R::context);
  v("stream", &R::stream);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
})
PROF_RECORD_FIELDS(KernelRecord, "kernel", {
  RecordFields<GpuWork>::visit(v);
  v("name", &R::name);
  v("grid", &R::grid);
  v("block", &R::block);
  v("cluster", &R::cluster);
  v("registers_per_thread", &R::registers_per_thread);
  v("static_shared_bytes", &R::static_shared_bytes);
  v("dynamic_shared_bytes", &R::dynamic_shared_bytes);
  v("local_bytes_per_thread", &R::local_bytes_per_thread);
  v("cooperative", &R::cooperative);
})
PROF_RECORD_FIELDS(MemcpyRecord, "memcpy", {
  RecordFields<GpuWork>::visit(v);
  v("copy_kind", &R::copy_kind);
  v("source", &R::source);
  v("destination", &R::destination);
  v("async", &R::async);
  v("peer_device", &R::peer_device);
  v("bytes", &R::bytes);
  v("count", &R::count);
})
PROF_RECORD_FIELDS(MemsetRecord, "memset", {
  RecordFields<GpuWork>::visit(v);
  v("memory", &R::memory);
  v("async", &R::async);
  v("value", &R::value);
  v("bytes", &R::bytes);
})
PROF_RECORD_FIELDS(SyncRecord, "sync", {
  v("correlation", &R::correlation);
  v("type", &R::type);
  v("context", &R::context);
  v("stream", &R::stream);
  v("event", &R::event);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
})
PROF_RECORD_FIELDS(OverheadRecord, "overhead", {
  v("kind", &R::kind);
  v("os_tid", &R::os_tid);
  v("start_ns", &R::start_ns);
  v("end_ns", &R::end_ns);
})
PROF_RECORD_FIELDS(GraphNodeRecord, "graph_node", {
  v("graph_node", &R::graph_node);
  v("graph", &R::graph);
  v("original_node", &R::original_node);
  v("node_type", &R::node_type);
  v("thread", &R::thread);
  v("stack", &R::stack);
  v("time_ns", &R::time_ns);
})
PROF_RECORD_FIELDS(ClockSyncRecord, "clock_sync", {
  v("realtime_ns", &R::realtime_ns);
  v("monotonic_ns", &R::monotonic_ns);
  v("cupti_ns", &R::cupti_ns);
})
PROF_RECORD_FIELDS(LossRecord, "loss", {
  v("what", &R::what);
  v("count", &R::count);
  v("first_ns", &R::first_ns);
  v("last_ns", &R::last_ns);
  v("detail", &R::detail);
})

#undef PROF_RECORD_FIELDS

/// Every record type, in the order of RecordSink.
// clang-format off
#define PROF_ALL_RECORDS(X)                                                          \
  X(StringRecord) X(MetaRecord) X(ThreadRecord) X(DeviceRecord) X(DomainRecord)      \
  X(NameRecord) X(RangeRecord) X(MarkRecord) X(PayloadSchemaRecord)                  \
  X(PayloadBlobRecord) X(ApiRecord) X(KernelRecord) X(MemcpyRecord) X(MemsetRecord)  \
  X(SyncRecord) X(OverheadRecord) X(GraphNodeRecord) X(ClockSyncRecord) X(LossRecord)
// clang-format on

}  // namespace prof
