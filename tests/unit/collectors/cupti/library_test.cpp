// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_library.hpp"
#include "collectors/cupti/cupti_wheels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

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

TEST(CuptiLibrary, WheelsOfTheProgramsPythonComeBeforeWhatTheLoaderFinds) {
  const auto candidates = cupti_candidates({"", "/a", 12080, {"/p/12", "/p/13"}});
  EXPECT_THAT(std::vector(candidates.begin() + 3, candidates.begin() + 7),
              ElementsAre("/p/12/libcupti.so.12", "/p/13/libcupti.so.12", "/p/12/libcupti.so",
                          "/p/13/libcupti.so"));
  EXPECT_EQ(candidates[9], "libcupti.so.12");
}

TEST(CuptiLibrary, WheelsAreWhereTheProgramsOtherPackagesAre) {
  EXPECT_THAT(cupti_wheel_folders({"", "/lib/libc.so.6", "/v/lib/python3.11/site-packages/x/y.so",
                                   "/v/lib/python3.11/site-packages/z.so"},
                                  "/nowhere/lib/prof/libprof_inject.so"),
              ElementsAre("/v/lib/python3.11/site-packages/nvidia/cuda_cupti/lib",
                          "/v/lib/python3.11/site-packages/nvidia/cu13/lib"));
}

TEST(CuptiLibrary, WheelsAreWhereTheCollectorsWheelIs) {
  namespace fs = std::filesystem;
  std::string name = testing::TempDir() + "prof-wheels-XXXXXX";
  const fs::path prefix = mkdtemp(name.data());
  fs::create_directories(prefix / "libexec/prof");
  fs::create_directories(prefix / "lib/python3.12/site-packages");
  const std::string folder = (prefix / "libexec/prof").string();
  EXPECT_THAT(cupti_wheel_folders({}, folder + "/libprof_inject.so"),
              ElementsAre(folder + "/../../lib/python3.12/site-packages/nvidia/cuda_cupti/lib",
                          folder + "/../../lib/python3.12/site-packages/nvidia/cu13/lib"));
  fs::remove_all(prefix);
}

}  // namespace
}  // namespace prof::collectors
