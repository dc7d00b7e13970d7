// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PerfettoPackets: writes the packets of a Perfetto trace, as one sequence. What is interned is
// written when it is first asked for, in a packet before all that refer to it. A message is made as
// its fields, in a string.
#pragma once

#include <protozero/pbf_builder.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/common/output.hpp"
#include "tools/report/export/formats/perfetto_fields.hpp"
#include "tools/report/export/formats/timeline_rows.hpp"

namespace prof::exports {

class PerfettoPackets {
 public:
  /// Most bytes of interned texts in memory: later texts are written wherever they are used.
  static constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

  explicit PerfettoPackets(tools::Output& output, std::size_t most_text_bytes = kMostTextBytes)
      : output_(output), room_(most_text_bytes) {}

  /// A packet of those fields of TracePacket. False: no point in continuing.
  bool write(std::string_view fields, std::optional<std::uint64_t> timestamp = {});
  /// A packet with a message in one field.
  bool write(perfetto::TracePacket field, const std::string& message) {
    fields_.clear();
    protozero::pbf_builder<perfetto::TracePacket>(fields_).add_message(field, message);
    return write(fields_);
  }

  /// The number of a text; 0: there is no room for more.
  std::uint64_t iid(perfetto::InternedData kind, std::string_view text);
  /// Interns a message that states its own number.
  void intern(perfetto::InternedData kind, const std::string& message);

  /// Adds a text to a message, by its number where it has one.
  template <typename Field>
  void add_text(protozero::pbf_builder<Field>& message, perfetto::InternedData kind,
                Field iid_field, Field text_field, std::string_view text) {
    if (const std::uint64_t number = iid(kind, text); number != 0) {
      message.add_uint64(iid_field, number);
    } else {
      add_text(message, text_field, text);
    }
  }
  template <typename Field>
  void add_text(protozero::pbf_builder<Field>& message, Field field, std::string_view text) {
    const std::string_view valid = valid_text(text);
    message.add_string(field, valid.data(), valid.size());
  }
  /// Adds a named value, a DebugAnnotation or an ExtraComputeArg.
  template <typename Parent, typename Field>
  void add_argument(protozero::pbf_builder<Parent>& parent, Parent field,
                    perfetto::InternedData names, const Argument& argument);

 private:
  template <typename Field>
  void add_value(protozero::pbf_builder<Field>& message, const reports::Cell& value);
  std::string_view valid_text(std::string_view text);

  tools::Output& output_;
  std::map<perfetto::InternedData, std::unordered_map<std::string, std::uint64_t>> iids_;
  std::size_t room_;
  bool is_first_ = true;
  std::string packet_, fields_, message_, valid_;
};

}  // namespace prof::exports
