// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/table_row.hpp"

#include <algorithm>
#include <bit>

#include "libprof/model/times.hpp"
#include "tools/report/filter/qualified_text.hpp"
#include "tools/report/rows/range_name.hpp"

namespace prof::reports {

const DeviceRow* TableRow::device(std::uint32_t number) const {
  const auto& all = trace_.reader.devices();
  const auto found = std::ranges::find(all, number, &DeviceRow::device);
  return found == all.end() ? nullptr : &*found;
}

Cell TableRow::payload(const Payload& payload) {
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

std::string_view TableRow::qualified(DomainId id, std::string_view range) {
  return qualified_ = qualified_text(trace_.reader, id, shown_range(range));
}

std::string_view TableRow::range_text(RangeId id) {
  const RangeRef range = trace_.reader.range(id);
  return shown_range(whole_text_ = range ? range->whole_text() : std::string());
}

std::string_view TableRow::shown_range(std::string_view range) {
  if (!short_ranges_) return range;
  return short_text_ = name_of_range(range).name;
}

std::optional<std::int64_t> TableRow::since_start(std::int64_t time_ns) const {
  if (time_ns == 0) return std::nullopt;
  return difference_of_times(time_ns, trace_.reader.start_realtime_ns());
}

}  // namespace prof::reports
