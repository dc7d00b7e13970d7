// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts.
#pragma once

#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// Defines an id for a text (meant as UTF-8, but kept byte for byte as the program passed it).
struct StringRecord {
  StringId id;
  std::string_view text;  ///< Valid only during the call that passes the record.
  friend bool operator==(const StringRecord&, const StringRecord&) = default;
};

template <>
struct RecordKind<StringRecord> {
  using R = StringRecord;
  static constexpr std::string_view kWord = "string";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("id", &R::id);
    v("text", &R::text);
  }
};

}  // namespace prof
