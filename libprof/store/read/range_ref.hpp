// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeRow: one opening of a range; RangeRef: a row that is kept together with the page of rows
// around it, or none. A trace of a million kernels has about 14 million rows, each read twice:
// they are not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/model/records.hpp"

namespace prof {

/// One opening of a range, see RangeRecord. Times are relative to the trace's start.
struct RangeRow {
  RangeId id = 0;
  RangeId parent = 0;
  RangeId alias_of = 0;
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;
  RangeRecord::Kind kind = RangeRecord::Kind::kPushPop;
  ThreadId thread;
  DomainId domain = kDefaultDomain;
  std::uint32_t template_id = 0;  ///< Equal for texts that differ only in their numbers (below).
  std::string_view text;          ///< The whole text, or its template if `numbers` is not empty.
  std::string_view numbers;       ///< See source/text_template.hpp.
  OpFact op;

  /// The text byte for byte as the program passed it.
  [[nodiscard]] std::string whole_text() const;
};

/// Keeps the row and its numbers unchanged, whatever else is read. Its text lives as long as the
/// reader.
using RangeRef = std::shared_ptr<const RangeRow>;

}  // namespace prof
