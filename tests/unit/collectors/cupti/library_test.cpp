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

TEST(CuptiLibrary, FoldersOfTheUserComeFirstThenNamesThenToolkits) {
  const auto candidates = cupti_candidates({"/opt/cuda", ":/a:/b", 13000});
  ASSERT_GE(candidates.size(), 10U);
  EXPECT_THAT(
      std::vector(candidates.begin(), candidates.begin() + 10),
      ElementsAre("/a/libcupti.so.13", "/a/libcupti.so.12", "/a/libcupti.so", "/b/libcupti.so.13",
                  "/b/libcupti.so.12", "/b/libcupti.so", "libcupti.so.13", "libcupti.so.12",
                  "libcupti.so", "/opt/cuda/lib64/libcupti.so.13"));
  EXPECT_THAT(candidates, testing::Contains("/opt/cuda/extras/CUPTI/lib64/libcupti.so.12"));
  EXPECT_THAT(candidates, testing::Contains("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"));
}

TEST(CuptiLibrary, AnOlderDriverIsGivenAnOlderCupti) {
  EXPECT_EQ(cupti_candidates({"", "", 12080}).front(), "libcupti.so.12");
  EXPECT_EQ(cupti_candidates({"", "", 13010}).front(), "libcupti.so.13");
  EXPECT_EQ(cupti_candidates({"", "", 0}).front(), "libcupti.so.13");
  EXPECT_THAT(cupti_candidates({"", "", 0}), Not(testing::Contains("/lib64/libcupti.so")));
}

}  // namespace
}  // namespace prof::collectors
