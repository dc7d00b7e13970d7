// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting events, see timeline.hpp.
#include "tools/report/export/formats/timeline.hpp"

#include <cstring>

namespace prof::exports {
namespace {

TimelineEvent event_in(std::string_view bytes) {
  TimelineEvent event;
  std::memcpy(&event, bytes.data(), sizeof event);
  return event;
}

}  // namespace

bool Timeline::Before::operator()(std::string_view a, std::string_view b) const {
  const TimelineEvent one = event_in(a), other = event_in(b);
  if (one.kind != other.kind) return one.kind < other.kind;
  return one.end_ns > other.end_ns;
}

Status Timeline::add(const TimelineEvent& event, std::string_view body) {
  first_ns_ = std::min(first_ns_, event.start_ns);
  last_ns_ = std::max(last_ns_, event.end_ns);
  bytes_.assign(reinterpret_cast<const char*>(&event), sizeof event).append(body);
  // Times before the trace's start are negative; ranks are not.
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return sort_.add(static_cast<std::uint64_t>(event.start_ns) ^ kSign, bytes_);
}

bool Timeline::next(TimelineEvent& event, std::string_view& body) {
  const SortedRecord* const record = sort_.next();
  if (record == nullptr) return false;
  event = event_in(record->bytes);
  body = record->bytes.substr(sizeof event);
  return true;
}

}  // namespace prof::exports
