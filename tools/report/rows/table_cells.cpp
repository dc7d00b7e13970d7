// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells of marks and waits that take more than reading a member.
#include <bit>

#include "tools/report/rows/marks.hpp"
#include "tools/report/rows/synchronizations.hpp"

namespace prof::reports {

Cell payload_cell(const Payload& payload) {
  const auto low = static_cast<std::uint32_t>(payload.bits);
  switch (payload.type) {
    case Payload::Type::kNone:
      return absent();
    case Payload::Type::kUint64:
      return number(payload.bits);
    case Payload::Type::kInt64:
      return signed_number(std::bit_cast<std::int64_t>(payload.bits));
    case Payload::Type::kDouble:
      return real(std::bit_cast<double>(payload.bits));
    case Payload::Type::kUint32:
      return number(low);
    case Payload::Type::kInt32:
      return signed_number(std::bit_cast<std::int32_t>(low));
    case Payload::Type::kFloat:
      return real(static_cast<double>(std::bit_cast<float>(low)));
  }
  return absent();
}

std::string_view sync_type_name(SyncRecord::Type type) {
  switch (type) {
    case SyncRecord::Type::kUnknown:
      return "";
    case SyncRecord::Type::kEvent:
      return "event";
    case SyncRecord::Type::kStreamWaitEvent:
      return "stream_wait_event";
    case SyncRecord::Type::kStream:
      return "stream";
    case SyncRecord::Type::kContext:
      return "context";
  }
  return "";
}

}  // namespace prof::reports
