// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The contents of a thread's EventRing, as plain structs: written by NVTX handlers and CUPTI
// callbacks, read by the EventDecoder. Texts and bytes follow their event; a registered string is
// passed by pointer, because it lives as long as the process. Every event belongs to the capture
// session (epoch) named by the last EpochEvent before it. Sources have events of their own, of
// other kinds, which they read themselves (CaptureSource::read()).
#pragma once

#include <cstdint>

#include "collectors/core/event_ring.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

/// Events of sources, whose contents only the sources know.
inline constexpr EventKind kOsCallEvent{64};
inline constexpr EventKind kGraphNodeEvent{65}, kGraphExecEvent{66}, kGraphEndEvent{67},
    kGraphUpdateEvent{68}, kGraphLaunchEvent{69}, kGraphKernelEvent{70};
inline constexpr EventKind kWaitEvent{71};
inline constexpr EventKind kNcclCallEvent{72};

struct RegisteredString;

/// Longer texts are truncated and counted (text_truncated).
inline constexpr std::uint32_t kMaxTextBytes = 64 * 1024;
/// Longer binary payloads are dropped and counted (payload_not_kept).
inline constexpr std::uint32_t kMaxBlobBytes = 64 * 1024;

/// The NVTX attributes of a range or mark. If `registered` is null the text is `text_bytes` of
/// UTF-8 stored elsewhere: in the thread's arena, or after the event.
struct Annotation {
  const RegisteredString* registered = nullptr;
  std::uint64_t payload_bits = 0;
  std::uint32_t text_bytes = 0;
  std::uint32_t category = 0;
  std::uint32_t color_argb = 0;
  DomainId domain = kDefaultDomain;
  Payload::Type payload_type = Payload::Type::kNone;
  bool has_blobs = false;  ///< The event came with binary payloads of the payload extension.

  /// Size of the text that follows the event; 0 if the text is a registered string's.
  [[nodiscard]] std::uint32_t inline_bytes() const {
    return registered == nullptr ? text_bytes : 0;
  }
};

/// A thread's first event in a capture session; names the session of the events that follow.
struct EpochEvent {
  EventHeader header;
  std::uint32_t epoch;
  ThreadId thread;
};

struct PushEvent {  // Followed by the text.
  EventHeader header;
  RangeId id;
  RangeId parent;
  std::int64_t start_ns;
  Annotation annotation;
};

/// EventHeader::flags of an OpEvent.
enum OpFlags : std::uint16_t {
  /// Recorded whether or not anything happens in it: later work may refer to it.
  kOpIsKept = 1,
  /// Work launched after it, in the enclosing op, may belong to it.
  kOpIsNode = 2,
  kOpBeginsPiece = 4,  ///< Ranges of the process have begun or ended since the thread's last op.
};

/// Like a PushEvent, for an op that a framework reports. Followed by the text and the bytes, whose
/// meaning only its source knows.
struct OpEvent {
  EventHeader header;
  RangeId id;
  RangeId parent;
  std::int64_t start_ns;
  std::uint32_t text_bytes;
  std::uint32_t bytes;
};

struct PopEvent {
  EventHeader header;
  RangeId id;
  std::int64_t end_ns;
};

struct AliasEvent {
  EventHeader header;
  RangeId id;
  RangeId alias_of;
  RangeId parent;
};

/// A start/end range, written whole when it ends. Followed by the text.
struct RangeEvent {
  EventHeader header;
  RangeId id;
  std::int64_t start_ns;
  std::int64_t end_ns;
  ThreadId thread;  ///< The thread that started it.
  Annotation annotation;
};

struct MarkEvent {  // Followed by the text.
  EventHeader header;
  RangeId parent;
  std::int64_t time_ns;
  Annotation annotation;
};

struct BlobEvent {  // Followed by the bytes.
  EventHeader header;
  RangeId range;
  std::uint64_t schema;
  DomainId domain;
  std::uint32_t bytes;
};

struct ApiEvent {
  EventHeader header;
  Correlation correlation;
  RangeId stack;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::uint32_t cbid;  ///< CUPTI's id of the function; the recorder looks up its name.
  std::int32_t status;
  std::uint32_t depth;
  ApiRecord::Domain domain;
};

}  // namespace prof::collectors
