// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/payload_data.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "collectors/core/range_events.hpp"
#include "collectors/nvtx/nvtx_text.hpp"
#include "collectors/nvtx/payload_schema.hpp"
#include "collectors/nvtx/safe_read.hpp"

namespace prof::collectors {
namespace {

/// Limit for one text or array that a payload points to.
constexpr std::uint32_t kMaxPointedBytes = 16 * 1024;

std::size_t unit_of(PayloadSchema::TextEntry::Encoding encoding) noexcept {
  return encoding == PayloadSchema::TextEntry::Encoding::kUtf16   ? 2
         : encoding == PayloadSchema::TextEntry::Encoding::kUtf32 ? 4
                                                                  : 1;
}

/// Offsets come from the program and may be any number.
bool lies_within(std::uint64_t offset, std::size_t bytes, std::size_t size) noexcept {
  return offset <= size && size - offset >= bytes;
}

/// Converts a text of `bytes` readable bytes to UTF-8.
CopiedText convert(const void* text, std::size_t bytes, PayloadSchema::TextEntry::Encoding encoding,
                   char* out, std::uint32_t capacity) noexcept {
  switch (encoding) {
    case PayloadSchema::TextEntry::Encoding::kUtf8:
      return to_buffer(static_cast<const char*>(text), bytes, out, capacity);
    case PayloadSchema::TextEntry::Encoding::kUtf16:
      return to_buffer(static_cast<const char16_t*>(text), bytes / 2, out, capacity);
    case PayloadSchema::TextEntry::Encoding::kUtf32:
      return to_buffer(static_cast<const char32_t*>(text), bytes / 4, out, capacity);
  }
  return {};
}

/// Copies to `out` the text that a payload's entry holds or points to. False: it could not be read.
bool copy_entry(const PayloadSchema::TextEntry& entry, const nvtxPayloadData_t& payload,
                std::size_t size, char* out, std::uint32_t capacity, CopiedText& copied) noexcept {
  const auto* bytes = static_cast<const std::byte*>(payload.payload);
  if (entry.offset > size) return false;
  if (entry.how == PayloadSchema::TextEntry::How::kEmbedded) {
    const std::size_t length = std::min<std::size_t>(entry.bytes, size - entry.offset);
    const std::byte* text = bytes + entry.offset;
    if (reinterpret_cast<std::uintptr_t>(text) % unit_of(entry.encoding) != 0) return false;
    copied = convert(text, length, entry.encoding, out, capacity);
    return true;
  }
  const void* pointer = nullptr;
  if (!lies_within(entry.offset, sizeof pointer, size)) return false;
  std::memcpy(&pointer, bytes + entry.offset, sizeof pointer);
  if (pointer == nullptr) return true;
  if (entry.how == PayloadSchema::TextEntry::How::kRegistered) {
    const RegisteredString* string =
        global().objects.find_string(reinterpret_cast<std::uintptr_t>(pointer));
    if (string == nullptr) return false;
    copied = to_buffer(string->text.data(), string->text.size(), out, capacity);
    return true;
  }
  if (entry.how == PayloadSchema::TextEntry::How::kBytes) {
    const std::size_t wanted = std::min<std::size_t>(entry.bytes, capacity);
    if (wanted != entry.bytes || readable_bytes(pointer, wanted, 0) != wanted) return false;
    std::memcpy(out, pointer, wanted);
    copied.bytes = static_cast<std::uint32_t>(wanted);
    return true;
  }
  // One unit more than fits, so that truncation is detected; a unit makes at least one byte.
  const std::size_t unit = unit_of(entry.encoding);
  const std::size_t readable = readable_bytes(pointer, (std::size_t{capacity} + 1) * unit, unit);
  if (readable == 0) return false;
  copied = convert(pointer, readable, entry.encoding, out, capacity);
  return true;
}

/// The size of a payload that the program left open; false: unknown. A text's size is measured up
/// to one unit beyond the limit.
bool find_size(const nvtxPayloadData_t& payload, const PayloadSchema* schema,
               std::size_t& size) noexcept {
  size = payload.size;
  if (size != std::numeric_limits<std::size_t>::max()) return true;
  switch (payload.schemaId) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
      size = readable_bytes(payload.payload, kMaxBlobBytes + 1, 1);
      break;
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16:
      size = readable_bytes(payload.payload, kMaxBlobBytes + 2, 2);
      break;
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
      size = readable_bytes(payload.payload, kMaxBlobBytes + 4, 4);
      break;
    default:
      size = schema != nullptr ? schema->static_bytes : type_bytes(payload.schemaId);
  }
  return size != 0;
}

/// Whether a text of unspecified size continues where find_size() stopped.
bool ends_beyond(const nvtxPayloadData_t& payload, std::size_t size, std::size_t unit) noexcept {
  if (payload.size == size || size <= kMaxBlobBytes) return false;
  constexpr char kZeros[4] = {};
  const auto* last = static_cast<const char*>(payload.payload) + size - unit;
  return std::memcmp(last, kZeros, unit) != 0;
}

/// Copies one payload; false: not kept.
bool keep(ThreadState& thread, std::uint32_t epoch, RangeId range, const Domain& domain,
          const nvtxPayloadData_t& payload) noexcept {
  const PayloadSchema* schema = ProgramObjects::find_schema(domain, payload.schemaId);
  std::size_t size = 0;
  if (!find_size(payload, schema, size) || size > kMaxBlobBytes) return false;
  if (payload.payload == nullptr && size != 0) return false;

  // The pointed-to data is gathered in the scratch first: the ring needs the total size.
  constexpr std::size_t kMaxTexts = 32;
  std::uint64_t offsets[kMaxTexts] = {};
  std::size_t texts = 0;
  if (schema != nullptr && !schema->texts.empty()) {
    thread.stack.make_room(static_cast<std::uint32_t>(kMaxBlobBytes - size));
  }
  char* tail = thread.stack.scratch();
  const auto tail_room = static_cast<std::uint32_t>(
      std::min<std::size_t>(thread.stack.scratch_bytes(), kMaxBlobBytes - size));
  std::uint32_t tail_bytes = 0;
  bool complete = schema == nullptr || !schema->pointers_not_kept;
  if (schema != nullptr && schema->texts.size() > kMaxTexts) complete = false;
  if (schema != nullptr) {
    texts = std::min(schema->texts.size(), kMaxTexts);
    for (std::size_t i = 0; i < texts; ++i) {
      const PayloadSchema::TextEntry& entry = schema->texts[i];
      if (entry.how == PayloadSchema::TextEntry::How::kEmbedded) continue;
      CopiedText copied;
      const std::uint32_t left = tail_room - tail_bytes;
      const std::uint32_t room = left == 0 ? 0 : std::min(left - 1, kMaxPointedBytes);
      if (!copy_entry(entry, payload, size, tail + tail_bytes, room, copied) || copied.cut)
        complete = false;
      if (copied.bytes == 0) continue;
      offsets[i] = size + tail_bytes;
      tail_bytes += copied.bytes;
      tail[tail_bytes++] = '\0';
    }
  }
  if (!complete) global().losses.add(Loss::kPayloadNotKept);

  std::byte* room = begin_blob(thread, epoch, range, domain.id, payload.schemaId,
                               static_cast<std::uint32_t>(size) + tail_bytes);
  if (room == nullptr) return true;  // Counted by begin_blob().
  if (size != 0) std::memcpy(room, payload.payload, size);
  if (tail_bytes != 0) std::memcpy(room + size, tail, tail_bytes);
  for (std::size_t i = 0; i < texts; ++i) {
    const PayloadSchema::TextEntry& entry = schema->texts[i];
    if (entry.how == PayloadSchema::TextEntry::How::kEmbedded ||
        !lies_within(entry.offset, sizeof offsets[i], size))
      continue;
    std::memcpy(room + entry.offset, &offsets[i], sizeof offsets[i]);
  }
  thread.ring.commit();
  return true;
}

}  // namespace

void keep_payloads(ThreadState& thread, std::uint32_t epoch, Attachment attachment, RangeId range,
                   const Domain& domain, const nvtxPayloadData_t* payloads,
                   std::size_t count) noexcept {
  if (epoch == 0) {
    // A range of the stack is counted when a capture finds it open.
    if (attachment == Attachment::kProcessRange) global().losses.add(Loss::kPayloadNotKept, count);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool recorded = attachment == Attachment::kMark || range != 0;
    if (!recorded || !keep(thread, epoch, range, domain, payloads[i])) {
      global().losses.add(Loss::kPayloadNotKept);
    }
  }
}

Annotation read_message(ThreadState& thread, const Domain& domain,
                        const nvtxPayloadData_t* payloads, std::size_t count) noexcept {
  Annotation annotation;
  annotation.domain = domain.id;
  for (std::size_t i = 0; i < count; ++i) {
    const nvtxPayloadData_t& payload = payloads[i];
    const PayloadSchema* schema = ProgramObjects::find_schema(domain, payload.schemaId);
    std::size_t size = 0;
    if (payload.payload == nullptr || !find_size(payload, schema, size)) continue;
    // A payload that is itself a text is the message; in a schema an entry is marked so.
    PayloadSchema::TextEntry whole{0, size, PayloadSchema::TextEntry::How::kEmbedded,
                                   PayloadSchema::TextEntry::Encoding::kUtf8, true};
    const PayloadSchema::TextEntry* message = nullptr;
    switch (payload.schemaId) {
      case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16:
        whole.encoding = PayloadSchema::TextEntry::Encoding::kUtf16;
        message = &whole;
        break;
      case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
        whole.encoding = PayloadSchema::TextEntry::Encoding::kUtf32;
        message = &whole;
        break;
      case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING:
      case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
        message = &whole;
        break;
      case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE:
        whole.how = PayloadSchema::TextEntry::How::kRegistered;
        message = &whole;
        break;
      default:
        break;
    }
    if (schema != nullptr) {
      const auto found =
          std::find_if(schema->texts.begin(), schema->texts.end(),
                       [](const PayloadSchema::TextEntry& entry) { return entry.message; });
      if (found != schema->texts.end()) message = &*found;
    }
    if (message == nullptr) continue;
    bool is_text = true;
    const CopiedText copied = to_scratch(thread.stack, [&](char* to, std::uint32_t room) {
      CopiedText text;
      is_text = copy_entry(*message, payload, size, to, room, text);
      return text;
    });
    if (!is_text) {
      // Not a handle of a string: treated as in attributes.
      if (message->how == PayloadSchema::TextEntry::How::kRegistered)
        global().losses.add(Loss::kNvtxCallNotKept);
      continue;
    }
    if (copied.cut || ends_beyond(payload, size, unit_of(message->encoding))) {
      global().losses.add(Loss::kTextTruncated);
    }
    annotation.text_bytes = copied.bytes;
    break;
  }
  annotation.has_blobs = count != 0;
  return annotation;
}

}  // namespace prof::collectors
