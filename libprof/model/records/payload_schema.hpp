// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Schemas of NVTX's payload extension.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A schema of NVTX's payload extension, kept as the program registered it, so that binary payloads
/// can be decoded later. `fields_json` is an array of {"name","type","offset","array","flags"}.
struct PayloadSchemaRecord {
  DomainId domain;
  std::uint64_t schema = 0;
  StringId name;
  std::string_view fields_json;
  friend bool operator==(const PayloadSchemaRecord&, const PayloadSchemaRecord&) = default;
};

template <>
struct RecordKind<PayloadSchemaRecord> {
  using R = PayloadSchemaRecord;
  static constexpr std::string_view kWord = "payload_schema";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("domain", &R::domain);
    v("schema", &R::schema);
    v("name", &R::name);
    v("fields_json", &R::fields_json);
  }
  static constexpr TableText kTable = {
      "payload_schema", "Schemas of NVTX's payload extension, as the program registered them.",
      "domain_id, schema"};
  static constexpr void columns(auto&& v) {
    v(column::value("domain_id", &R::domain, "domain.id"));
    v(column::value("schema", &R::schema, "the schema's id in its domain"));
    v(column::process_id());
    v(column::value("name_id", &R::name, "string.id"));
    v(column::value("fields_json", &R::fields_json,
                    "array of {\"name\",\"type\",\"offset\",\"array\",\"flags\"}"));
  }
};

}  // namespace prof
