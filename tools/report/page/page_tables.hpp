// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of a page: each is a report with columns of it (docs/page.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace prof::reports {

/// The page has one document of the columns format for each.
enum class PagePart : std::uint8_t {
  kHead,      ///< Painted before the rest is read.
  kGroups,    ///< Sums.
  kTimeline,  ///< Rows in time, which are most of the page.
};

struct PageTable {
  std::string_view name, report;
  PagePart part = PagePart::kGroups;
  std::string_view columns{};  ///< Words; empty: those of csv and json.
  enum class When : std::uint8_t { kAlways, kSeveralTraces, kComparison } when = When::kAlways;
  std::uint64_t most_rows = UINT64_MAX;  ///< If there are more, only those of the last step.
  /// It is of all ranks, where the page has other tables of a part of them alone.
  bool compares_ranks = false;
  /// How long it takes beside the others, for an estimate of what is left: measured with a million
  /// kernels of GPT-2, in hundredths of the page.
  std::uint8_t cost = 2;
};

/// In the order of the page.
std::span<const PageTable> page_tables();

}  // namespace prof::reports
