// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ProtoFields: what is in a protocol buffer, for tests of exports: a message's fields by number.
#pragma once

#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof::exports {

class ProtoFields {
 public:
  /// Throws what protozero throws if the bytes are no message.
  explicit ProtoFields(std::string_view bytes) {
    protozero::pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      Values& values = fields_[reader.tag()];
      switch (reader.wire_type()) {
        case protozero::pbf_wire_type::varint:
          values.numbers.push_back(reader.get_uint64());
          break;
        case protozero::pbf_wire_type::fixed64:
          values.numbers.push_back(reader.get_fixed64());
          break;
        case protozero::pbf_wire_type::length_delimited:
          values.texts.push_back(reader.get_string());
          break;
        default:
          reader.skip();
      }
    }
  }

  template <typename Field>
  [[nodiscard]] bool has(Field field) const {
    return fields_.contains(static_cast<protozero::pbf_tag_type>(field));
  }
  template <typename Field>
  [[nodiscard]] std::vector<std::uint64_t> numbers(Field field) const {
    return of(field).numbers;
  }
  template <typename Field>
  [[nodiscard]] std::optional<std::uint64_t> number(Field field) const {
    const std::vector<std::uint64_t>& numbers = of(field).numbers;
    return numbers.empty() ? std::nullopt : std::optional(numbers.back());
  }
  template <typename Field>
  [[nodiscard]] std::vector<std::string> texts(Field field) const {
    return of(field).texts;
  }
  template <typename Field>
  [[nodiscard]] std::string text(Field field) const {
    const std::vector<std::string>& texts = of(field).texts;
    return texts.empty() ? std::string() : texts.back();
  }
  template <typename Field>
  [[nodiscard]] ProtoFields message(Field field) const {
    return ProtoFields(text(field));
  }
  template <typename Field>
  [[nodiscard]] std::vector<ProtoFields> messages(Field field) const {
    std::vector<ProtoFields> messages;
    for (const std::string& bytes : of(field).texts) messages.emplace_back(bytes);
    return messages;
  }
  template <typename Field>
  [[nodiscard]] std::vector<std::uint64_t> packed(Field field) const {
    std::vector<std::uint64_t> values;
    const std::string bytes = text(field);
    const char* at = bytes.data();
    while (at != bytes.data() + bytes.size()) {
      values.push_back(protozero::decode_varint(&at, bytes.data() + bytes.size()));
    }
    return values;
  }

 private:
  struct Values {
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> texts;
  };
  template <typename Field>
  [[nodiscard]] const Values& of(Field field) const {
    static const Values kNone;
    const auto found = fields_.find(static_cast<protozero::pbf_tag_type>(field));
    return found != fields_.end() ? found->second : kNone;
  }

  std::map<protozero::pbf_tag_type, Values> fields_;
};

}  // namespace prof::exports
