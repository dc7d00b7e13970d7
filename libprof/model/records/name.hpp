// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that the program gives to objects.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A name that the program assigned: to an NVTX category, a stream, a device, ...
struct NameRecord {
  enum class Kind : std::uint8_t { kCategory, kDevice, kContext, kStream, kEvent, kOther };
  Kind kind = Kind::kOther;
  DomainId domain;           ///< For categories.
  std::uint64_t object = 0;  ///< Category number, device ordinal, or the handle's value.
  StringId name;
  friend bool operator==(const NameRecord&, const NameRecord&) = default;
};

template <>
struct EnumWords<NameRecord::Kind> {
  static constexpr std::array<std::string_view, 6> kWords = {"category", "device", "context",
                                                             "stream",   "event",  "other"};
};

template <>
struct RecordKind<NameRecord> {
  using R = NameRecord;
  static constexpr std::string_view kWord = "name";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("kind", &R::kind);
    v("domain", &R::domain);
    v("object", &R::object);
    v("name", &R::name);
  }
  static constexpr TableText kTable = {"name", "Names assigned by the program.",
                                       "kind, domain_id, object"};
  static constexpr void columns(auto&& v) {
    v(column::value("kind", &R::kind,
                    "0 category, 1 device, 2 context, 3 stream, 4 event, 5 other"));
    v(column::value("domain_id", &R::domain, "domain.id for categories, else 0"));
    v(column::value("object", &R::object,
                    "category number, device ordinal, or the handle's value"));
    v(column::process_id());
    v(column::value("name_id", &R::name, "string.id"));
  }
};

}  // namespace prof
