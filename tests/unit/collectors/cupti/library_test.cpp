// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prof::collectors {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

TEST(CuptiLibrary, MappedLibrariesAreFoundByTheirFileName) {
  EXPECT_THAT(mapped_libraries("libc.so"), Not(IsEmpty()));
  EXPECT_THAT(mapped_libraries("no-such-library"), IsEmpty());
}

TEST(CuptiLibrary, NamesComeBeforeToolkitsAndNewerBeforeOlder) {
  const auto candidates = cupti_candidates("/opt/cuda");
  ASSERT_GE(candidates.size(), 4U);
  EXPECT_THAT(std::vector(candidates.begin(), candidates.begin() + 4),
              ElementsAre("libcupti.so.13", "libcupti.so.12", "libcupti.so",
                          "/opt/cuda/lib64/libcupti.so.13"));
  EXPECT_THAT(candidates, testing::Contains("/opt/cuda/extras/CUPTI/lib64/libcupti.so.12"));
  EXPECT_THAT(candidates, testing::Contains("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"));
  EXPECT_THAT(cupti_candidates(""), Not(testing::Contains("/lib64/libcupti.so")));
}

}  // namespace
}  // namespace prof::collectors
