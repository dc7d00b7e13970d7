// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The kinds of memory copies in words. All names of copies are made of these.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prof {

/// Indexed by CUpti_ActivityMemcpyKind, from source to destination: H is the host, D a device, A an
/// array, P a peer device. The first is unknown.
inline constexpr std::array<std::string_view, 11> kCopyWords = {
    "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

/// The numbers of migrations of unified memory follow, as in Nsight Systems. CUPTI has no kind for
/// them.
inline constexpr std::array<std::uint8_t, 3> kMigrations = {11, 12, 13};  // HtoD, DtoH, DtoD

constexpr bool is_migration(std::uint8_t kind) {
  return kind >= kMigrations.front() && kind <= kMigrations.back();
}

/// Index of a kind in kCopyWords; 0: unknown.
constexpr std::size_t copy_place(std::uint8_t kind) {
  constexpr std::array<std::size_t, kMigrations.size()> kPlaces = {1, 2, 8};
  if (is_migration(kind)) return kPlaces[kind - kMigrations.front()];
  return kind < kCopyWords.size() ? kind : 0;
}

}  // namespace prof
