// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Where NCCL's own headers have the members that the plugin reads (64-bit Linux).
#include "collectors/nccl/profiler_interface.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace prof::collectors::nccl {
namespace {

using Offsets = std::vector<std::size_t>;

template <typename Description>
Offsets offsets_of_collective() {
  return {offsetof(Description, collective.sequence), offsetof(Description, collective.function),
          offsetof(Description, collective.count), offsetof(Description, collective.type),
          offsetof(Description, collective.algorithm)};
}

template <typename Description>
Offsets offsets_of_transfer() {
  return {offsetof(Description, transfer.function), offsetof(Description, transfer.count),
          offsetof(Description, transfer.peer)};
}

TEST(NcclInterface, MembersAreWhereNcclHasThem) {
  EXPECT_EQ(offsets_of_collective<v1::Description>(), (Offsets{40, 48, 72, 84, 106}));
  EXPECT_EQ(offsets_of_collective<v2::Description>(), (Offsets{40, 48, 72, 88, 112}));
  EXPECT_EQ(offsets_of_collective<v3::Description>(), (Offsets{40, 48, 72, 88, 104}));
  EXPECT_EQ(offsets_of_collective<v4::Description>(), (Offsets{24, 32, 56, 72, 88}));
  EXPECT_EQ(offsets_of_collective<v5::Description>(), (Offsets{24, 32, 56, 72, 88}));
  EXPECT_EQ(offsets_of_transfer<v1::Description>(), (Offsets{40, 64, 72}));
  EXPECT_EQ(offsets_of_transfer<v2::Description>(), (Offsets{40, 64, 72}));
  EXPECT_EQ(offsets_of_transfer<v3::Description>(), (Offsets{40, 64, 72}));
  EXPECT_EQ(offsets_of_transfer<v4::Description>(), (Offsets{24, 48, 56}));
  EXPECT_EQ(offsets_of_transfer<v5::Description>(), (Offsets{24, 48, 56}));
  EXPECT_EQ(offsetof(v5::Description, collective_api.is_captured), 64U);
  EXPECT_EQ(offsetof(v5::Description, transfer_api.is_captured), 56U);
  for (const std::size_t size :
       {sizeof(Table<Init, v1::Description>), sizeof(Table<InitV4, v4::Description>),
        sizeof(Table<InitV5, v5::Description>)}) {
    EXPECT_EQ(size, 6 * sizeof(void*));
  }
}

}  // namespace
}  // namespace prof::collectors::nccl
