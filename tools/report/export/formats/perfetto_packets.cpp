// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See perfetto_packets.hpp.
#include "tools/report/export/formats/perfetto_packets.hpp"

#include <cmath>
#include <variant>

#include "tools/report/export/formats/utf8_text.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::exports {

using perfetto::InternedData;
using perfetto::TracePacket;
using protozero::pbf_builder;

bool PerfettoPackets::write(std::string_view fields, std::optional<std::uint64_t> timestamp) {
  constexpr std::uint32_t kSequence = 1;
  packet_.clear();
  pbf_builder<TracePacket> packet(packet_);
  if (timestamp) packet.add_uint64(TracePacket::kTimestamp, *timestamp);
  packet.add_uint32(TracePacket::kSequenceId, kSequence);
  packet.add_uint32(TracePacket::kSequenceFlags,
                    is_first_ ? perfetto::kStateCleared : perfetto::kNeedsState);
  is_first_ = false;
  packet_ += fields;
  pbf_builder<perfetto::Trace>(output_.buffer()).add_message(perfetto::Trace::kPacket, packet_);
  return output_.commit();
}

std::string_view PerfettoPackets::valid_text(std::string_view text) {
  return utf8_text(text, valid_);
}

std::uint64_t PerfettoPackets::iid(InternedData kind, std::string_view text) {
  auto& iids = iids_[kind];
  const std::string_view valid = valid_text(text);
  message_ = valid;
  if (const auto found = iids.find(message_); found != iids.end()) return found->second;
  if (valid.size() > room_) return 0;
  room_ -= valid.size();
  const std::uint64_t number = iids.size() + 1;
  iids.emplace(message_, number);
  std::string entry;
  pbf_builder<perfetto::InternedText> builder(entry);
  builder.add_uint64(perfetto::InternedText::kIid, number);
  builder.add_string(perfetto::InternedText::kText, message_);
  intern(kind, entry);
  return number;
}

void PerfettoPackets::intern(InternedData kind, const std::string& message) {
  std::string data;
  pbf_builder<InternedData>(data).add_message(kind, message);
  write(TracePacket::kInternedData, data);
}

template <typename Field>
void PerfettoPackets::add_value(pbf_builder<Field>& message, const reports::Cell& value) {
  constexpr double kExactly = 9007199254740992.0;  // 2^53: integers below it are exact
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    message.add_int64(Field::kInt, *integer);
  } else if (const auto* const number = std::get_if<std::uint64_t>(&value)) {
    message.add_uint64(Field::kUint, *number);
  } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
    add_text(message, InternedData::kAnnotationStrings, Field::kStringIid, Field::kString, *text);
  } else if (const auto* const decimal = std::get_if<reports::Decimal>(&value)) {
    message.add_double(Field::kDouble,
                       static_cast<double>(decimal->scaled) / std::pow(10, decimal->decimals));
  } else if (const auto* const real = std::get_if<double>(&value)) {
    if (std::abs(*real) < kExactly && *real == std::trunc(*real)) {
      message.add_int64(Field::kInt, static_cast<std::int64_t>(*real));
    } else {
      message.add_double(Field::kDouble, *real);
    }
  } else {
    std::string made;
    reports::append_value(value, {}, reports::NumberStyle::kExact, made);
    add_text(message, Field::kString, made);
  }
}

template <typename Parent, typename Field>
void PerfettoPackets::add_argument(pbf_builder<Parent>& parent, Parent field, InternedData names,
                                   const Argument& argument) {
  std::string bytes;
  pbf_builder<Field> message(bytes);
  add_text(message, names, Field::kNameIid, Field::kName, argument.word);
  add_value(message, argument.value);
  parent.add_message(field, bytes);
}

template void PerfettoPackets::add_argument<perfetto::TrackEvent, perfetto::DebugAnnotation>(
    pbf_builder<perfetto::TrackEvent>&, perfetto::TrackEvent, InternedData, const Argument&);
template void
PerfettoPackets::add_argument<perfetto::ComputeKernelLaunch, perfetto::ExtraComputeArg>(
    pbf_builder<perfetto::ComputeKernelLaunch>&, perfetto::ComputeKernelLaunch, InternedData,
    const Argument&);

}  // namespace prof::exports
