// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole texts about the program's work, from which the analyzers derive facts that ranges cannot
// state: the code that a compiler has generated, the meanings of its names.
#pragma once

#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A document, recorded once per trace. `bytes` is the text, deflated (zlib), in the kind's own
/// format.
struct DocumentRecord {
  std::string_view kind;  ///< The writer and the format.
  std::string_view name;  ///< The name by which ranges refer to it.
  std::string_view bytes;
  friend bool operator==(const DocumentRecord&, const DocumentRecord&) = default;
};

template <>
struct RecordKind<DocumentRecord> {
  using R = DocumentRecord;
  static constexpr std::string_view kWord = "document";
  static constexpr Turn kTurn = Turn::kDefinition;
  static constexpr void fields(auto&& v) {
    v("kind", &R::kind);
    v("name", &R::name);
    v("bytes", &R::bytes);
  }
  static constexpr TableText kTable = {
      .name = "document",
      .doc = "Whole texts about the program's work, such as the code that a compiler generated.",
      .since = 3};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("kind", &R::kind, "who wrote it, in which format: inductor.wrapper, ..."));
    v(column::value("name", &R::name, "by which ranges refer to it"));
    v(column::bytes("bytes", &R::bytes, "the text, deflated (zlib)"));
  }
};

}  // namespace prof
