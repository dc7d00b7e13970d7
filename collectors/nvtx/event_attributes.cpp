// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/event_attributes.hpp"

#include <algorithm>
#include <cstring>

#include "collectors/nvtx/nvtx_text.hpp"

namespace prof::collectors {
namespace {

static_assert(sizeof(nvtxEventAttributes_t) == 48, "the layout that all versions of NVTX share");

/// Far more than any event has; guards against a count that was never set.
constexpr std::int32_t kMaxPayloadsOfEvent = 64;

template <typename Char>
void take_text(ThreadState& thread, const Char* text, Annotation& annotation) noexcept {
  const CopiedText copied = to_scratch(
      thread.stack, [text](char* to, std::uint32_t room) { return to_buffer(text, to, room); });
  annotation.text_bytes = copied.bytes;
  if (copied.cut) global().losses.add(Loss::kTextTruncated);
}

void take_message(ThreadState& thread, const nvtxEventAttributes_t& event,
                  Annotation& annotation) noexcept {
  switch (event.messageType) {
    case NVTX_MESSAGE_UNKNOWN:
      return;
    case NVTX_MESSAGE_TYPE_ASCII:
      return take_text(thread, event.message.ascii, annotation);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return take_text(thread, event.message.unicode, annotation);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      annotation.registered = to_registered(event.message.registered);
      return;
    default:
      global().losses.add(Loss::kNvtxCallNotKept);
  }
}

void take_payload(const nvtxEventAttributes_t& event, ParsedEvent& parsed) noexcept {
  Annotation& annotation = parsed.annotation;
  const auto keep = [&](Payload::Type type, std::uint64_t bits) {
    annotation.payload_type = type;
    annotation.payload_bits = bits;
  };
  std::uint32_t low = 0;
  std::memcpy(&low, &event.payload, sizeof low);
  switch (event.payloadType) {
    case NVTX_PAYLOAD_UNKNOWN:
      return;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
      return keep(Payload::Type::kUint64, event.payload.ullValue);
    case NVTX_PAYLOAD_TYPE_INT64:
      return keep(Payload::Type::kInt64, event.payload.ullValue);
    case NVTX_PAYLOAD_TYPE_DOUBLE:
      return keep(Payload::Type::kDouble, event.payload.ullValue);
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
      return keep(Payload::Type::kUint32, low);
    case NVTX_PAYLOAD_TYPE_INT32:
      return keep(Payload::Type::kInt32, low);
    case NVTX_PAYLOAD_TYPE_FLOAT:
      return keep(Payload::Type::kFloat, low);
    default:
      break;
  }
  const auto* payloads = reinterpret_cast<const nvtxPayloadData_t*>(event.payload.ullValue);
  if (event.payloadType != NVTX_PAYLOAD_TYPE_EXT || payloads == nullptr || event.reserved0 <= 0 ||
      event.reserved0 > kMaxPayloadsOfEvent) {
    global().losses.add(Loss::kPayloadNotKept);
    return;
  }
  annotation.has_blobs = true;
  parsed.payloads = payloads;
  parsed.payload_count = static_cast<std::size_t>(event.reserved0);
}

}  // namespace

ParsedEvent parse_attributes(ThreadState& thread, const Domain& domain,
                             const nvtxEventAttributes_t* attributes) noexcept {
  ParsedEvent parsed;
  parsed.annotation.domain = domain.id;
  if (attributes == nullptr) return parsed;
  // Copies only as much as the program declares; the rest stays zero, which NVTX defines as unset.
  nvtxEventAttributes_t event{};
  std::memcpy(&event, attributes, sizeof event.version + sizeof event.size);
  const std::size_t size = std::min<std::size_t>(event.size, sizeof event);
  if (size < sizeof event) global().losses.add(Loss::kNvtxCallNotKept);
  if (size > sizeof event.version + sizeof event.size) std::memcpy(&event, attributes, size);
  parsed.annotation.category = event.category;
  if (event.colorType == NVTX_COLOR_ARGB) parsed.annotation.color_argb = event.color;
  take_payload(event, parsed);
  take_message(thread, event, parsed.annotation);
  return parsed;
}

Annotation parse_text(ThreadState& thread, const char* text) noexcept {
  Annotation annotation;
  take_text(thread, text, annotation);
  return annotation;
}

Annotation parse_text(ThreadState& thread, const wchar_t* text) noexcept {
  Annotation annotation;
  take_text(thread, text, annotation);
  return annotation;
}

}  // namespace prof::collectors
