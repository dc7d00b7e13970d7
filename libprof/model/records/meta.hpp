// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about the whole capture.
#pragma once

#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// One fact about the capture as a whole: "command_line", "cupti_version", ...;
/// docs/formats/schema.md lists them.
struct MetaRecord {
  std::string_view key;
  std::string_view value;
  friend bool operator==(const MetaRecord&, const MetaRecord&) = default;
};

template <>
struct RecordKind<MetaRecord> {
  using R = MetaRecord;
  static constexpr std::string_view kWord = "meta";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("key", &R::key);
    v("value", &R::value);
  }
};

}  // namespace prof
