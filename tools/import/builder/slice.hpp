// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Slice: something of a host thread in another profiler's file: an op, an annotation, a CUDA call,
// with a start and an end, or a moment (a mark), or a range that is on no thread's stack. Plain
// data, so that it can be sorted on disk.
#pragma once

#include <cstdint>
#include <tuple>

#include "libprof/model/records.hpp"
#include "tools/import/builder/byte_store.hpp"

namespace prof::importers {

struct Slice {
  /// Among slices that start at the same time, one of an earlier kind encloses one of a later kind.
  enum class Kind : std::uint8_t {
    kRange,
    kRuntimeCall,
    kDriverCall,
    kProcessRange,  ///< On no stack, and around nothing.
    kMark,          ///< At its start.
    kGraphNode,     ///< Created at its start; `op` is its id, `sequence` that of its original.
    kOsCall,        ///< Around nothing.
  };
  /// The end of a range that the file does not have.
  static constexpr std::int64_t kNeverEnded = INT64_MAX;

  Kind kind = Kind::kRange;
  ThreadId thread;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  StringId name;                ///< A range's text or its template, or the function called.
  ByteStore::Place numbers;     ///< Numbers for the template: TraceBuilder::set_text().
  Correlation correlation = 0;  ///< For a call.
  std::int32_t status = 0;      ///< The status that a call returned.
  bool launches_graph = false;  ///< The call launches a graph.
  // Fields of a range or a mark:
  DomainId domain = kDefaultDomain;
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  Payload payload;
  std::uint64_t schema = 0;     ///< Schema of the binary payload; 0: there is none.
  ByteStore::Place bytes = {};  ///< The binary payload: TraceBuilder::set_payload().
  ThreadId end_thread;          ///< The thread that ended a process range; none: `thread`.
  /// The file's own number: for a range the op that it is, for a call the op around it. 0: none.
  std::uint64_t op = 0;
  bool is_annotation = false;  ///< The range has such a number, though it is no op.
  StringId signature;          ///< Signature of a range that is an op; the next fields go with it.
  bool has_sequence = false;   ///< Autograd gave it a sequence number:
  std::uint64_t sequence = 0;
  std::uint32_t forward_thread = 0;  ///< For a backward node: the framework's number; 0: none.
  /// Between two slices with equal times, the one with the smaller order encloses the other.
  std::uint64_t order = 0;

  [[nodiscard]] bool is_call() const {
    return kind == Kind::kRuntimeCall || kind == Kind::kDriverCall;
  }
  [[nodiscard]] bool is_range() const {
    return kind == Kind::kRange || kind == Kind::kProcessRange;
  }
  /// Others may be inside it.
  [[nodiscard]] bool is_on_stack() const { return kind == Kind::kRange || is_call(); }

  friend bool operator<(const Slice& a, const Slice& b) {
    return std::tuple(a.start_ns, a.kind, b.end_ns, a.order) <
           std::tuple(b.start_ns, b.kind, a.end_ns, b.order);
  }
};

/// An end of an arrow from an op to the node of its backward, at the start of a range of a thread.
struct Flow {
  std::int64_t time_ns = 0;
  ThreadId thread;
  std::uint64_t id = 0;  ///< Both ends have it.
  bool is_end = false;   ///< At the node.

  friend bool operator<(const Flow& a, const Flow& b) {
    return std::tuple(a.time_ns, a.thread.value, a.is_end, a.id) <
           std::tuple(b.time_ns, b.thread.value, b.is_end, b.id);
  }
};

}  // namespace prof::importers
