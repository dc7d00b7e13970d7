// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof/prof.h without a GPU: errors are returned and described, and nothing else happens. The order
// of tests matters, because a collector stays loaded: each test that needs a fresh process forks
// one.
#include "prof/prof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <thread>

extern "C" size_t options_size_in_c(void);
extern "C" size_t status_size_in_c(void);

namespace {

using testing::HasSubstr;

/// Runs `check` in a process of its own; true if it returned true.
template <typename Check>
bool in_child(Check check) {
  const pid_t pid = fork();
  if (pid == 0) _exit(check() ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(CApi, HeaderIsTheSameInC) {
  EXPECT_EQ(options_size_in_c(), sizeof(prof_options));
  EXPECT_EQ(status_size_in_c(), sizeof(prof_status));
}

TEST(CApi, EveryResultHasWordsOfItsOwn) {
  std::set<std::string> words;
  for (int result = PROF_OK; result <= PROF_ERROR_FAILED; ++result) {
    words.insert(prof_strerror(static_cast<prof_result>(result)));
  }
  EXPECT_EQ(words.size(), static_cast<std::size_t>(PROF_ERROR_FAILED) + 1);
  EXPECT_STREQ(prof_strerror(static_cast<prof_result>(15)), "unknown result");
}

TEST(CApi, ArgumentsAreChecked) {
  prof_options options = PROF_OPTIONS_INIT;
  options.struct_size = 0;
  EXPECT_EQ(prof_start(&options), PROF_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(prof_last_error(), HasSubstr("PROF_OPTIONS_INIT"));
  options = PROF_OPTIONS_INIT;
  options.api = 17;
  EXPECT_EQ(prof_start(&options), PROF_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(prof_last_error(), HasSubstr("prof_api_calls"));
  EXPECT_EQ(prof_get_status(nullptr), PROF_ERROR_INVALID_ARGUMENT);
}

TEST(CApi, StoppingWhatNeverStartedSaysSo) {
  EXPECT_EQ(prof_stop(), PROF_ERROR_NOT_STARTED);
  EXPECT_STRNE(prof_last_error(), "");
  EXPECT_EQ(prof_flush(), PROF_ERROR_NOT_STARTED);
}

TEST(CApi, StatusOfNothingIsEmpty) {
  prof_status status = PROF_STATUS_INIT;
  status.kernels = 5;
  EXPECT_EQ(prof_get_status(&status), PROF_OK);
  EXPECT_EQ(status.running, 0);
  EXPECT_EQ(status.kernels, 0U);
  EXPECT_STREQ(status.output, "");
  EXPECT_STREQ(prof_last_error(), "");
}

TEST(CApi, ErrorsBelongToTheirThread) {
  EXPECT_EQ(prof_stop(), PROF_ERROR_NOT_STARTED);
  std::string other = "unset";
  std::thread([&] { other = prof_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STRNE(prof_last_error(), "");
}

TEST(CApi, AMissingCollectorIsNamed) {
  EXPECT_TRUE(in_child([] {
    setenv("PROF_COLLECTOR", "/no/such/libprof_inject.so", 1);
    unsetenv("NVTX_INJECTION64_PATH");
    return prof_start(nullptr) == PROF_ERROR_NO_COLLECTOR &&
           std::string(prof_last_error()).find("/no/such/libprof_inject.so") != std::string::npos;
  }));
}

TEST(CApi, AnotherLibraryIsNoCollector) {
  EXPECT_TRUE(in_child([] {
    setenv("PROF_COLLECTOR", "libm.so.6", 1);
    unsetenv("NVTX_INJECTION64_PATH");
    return prof_start(nullptr) == PROF_ERROR_NO_COLLECTOR &&
           std::string(prof_last_error()).find("prof_collector_api_v1") != std::string::npos;
  }));
}

TEST(CApi, LoadingTheLibraryMakesNvtxCallTheCollectorAndStartsNothing) {
  ASSERT_NE(std::getenv("NVTX_INJECTION64_PATH"), nullptr);
  EXPECT_THAT(std::getenv("NVTX_INJECTION64_PATH"), testing::EndsWith("/libprof_inject.so"));
  EXPECT_STREQ(std::getenv("PROF_START"), "manual");
  EXPECT_EQ(std::getenv("CUDA_INJECTION64_PATH"), nullptr);
}

TEST(CApi, AStartThatCannotBeIsDescribedAndCanBeTriedAgain) {
  for (int round = 0; round < 2; ++round) {
    const prof_result result = prof_start(nullptr);
    EXPECT_TRUE(result == PROF_ERROR_NO_CUPTI || result == PROF_ERROR_NO_DRIVER ||
                result == PROF_ERROR_OUTPUT)
        << result << ": " << prof_last_error();
    EXPECT_STRNE(prof_last_error(), "");
    EXPECT_EQ(prof_stop(), PROF_ERROR_NOT_STARTED);
  }
}

}  // namespace
