// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of correlations, to whose starts the times of calls and of GPU work are relative.
#pragma once

#include <array>
#include <cstdint>

#include "libprof/store/schema/schema.hpp"

namespace prof::schema {

// clang-format off
inline constexpr std::array kLaunchBlockColumns = {
    Column{"id", kSqlKey, "correlation >> 8"},
    Column{"start_ns", kSqlNumber, "ns since the trace's start; start_ns of api_row, kernel_row and memset_row counts from it"},
};
inline constexpr Table kLaunchBlockTable = {.name = "launch_block", .doc = "Blocks of correlations.", .columns = kLaunchBlockColumns, .conflict = Conflict::kUpdate, .update = kKeepStart};
// clang-format on

/// launch_block.id, as a signed number, since SQL has no unsigned ones.
constexpr std::int64_t launch_block_id(std::int64_t correlation) { return correlation >> 8; }
constexpr std::int64_t launch_block_id(std::uint64_t correlation) {
  return launch_block_id(static_cast<std::int64_t>(correlation));
}

}  // namespace prof::schema
