// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX domains.
#pragma once

#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

struct DomainRecord {
  DomainId id;
  StringId name;
  friend bool operator==(const DomainRecord&, const DomainRecord&) = default;
};

template <>
struct RecordKind<DomainRecord> {
  using R = DomainRecord;
  static constexpr std::string_view kWord = "domain";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("id", &R::id);
    v("name", &R::name);
  }
  static constexpr TableText kTable = {"domain", "NVTX domains."};
  static constexpr void columns(auto&& v) {
    v(column::key("id", &R::id, "1: NVTX's default domain"));
    v(column::process_id());
    v(column::value("name_id", &R::name, "string.id"));
  }
};

}  // namespace prof
