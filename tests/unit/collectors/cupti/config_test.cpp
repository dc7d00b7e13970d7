// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "collectors/inject/process_facts.hpp"
#include "libprof/model/job.hpp"

namespace prof::collectors {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
  CaptureConfig config;
  std::vector<std::string> complaints;
};

Read read(const std::map<std::string, std::string>& variables, bool is_secure = false) {
  Read result;
  result.config = read_config(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      result.complaints, is_secure);
  return result;
}

TEST(Config, NothingSetGivesTheDefaults) {
  const auto [config, complaints] = read({});
  EXPECT_EQ(config.output, "prof-%p.db");
  EXPECT_EQ(config.stream, "");
  EXPECT_EQ(config.api, ApiMode::kLaunch);
  EXPECT_FALSE(config.force || config.quiet || config.manual);
  EXPECT_EQ(config.queue_bytes, 256U << 20);
  EXPECT_EQ(config.buffer_bytes, 128U << 20);
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Config, WithMoreRightsThanTheUserNothingChoosesCodeOrFiles) {
  const auto [config, complaints] = read({{"PROF_OUTPUT", "/tmp/a.db"},
                                          {"PROF_STREAM", "/tmp/a.jsonl"},
                                          {"PROF_API", "all"},
                                          {"PROF_FORCE", "1"},
                                          {"PROF_START", "auto"},
                                          {"PROF_QUEUE_MB", "7"},
                                          {"PROF_RUN_ID", "5-6"},
                                          {"CUDA_HOME", "/opt/cuda"},
                                          {"LD_LIBRARY_PATH", "/tmp"}},
                                         true);
  const CaptureConfig defaults;
  EXPECT_EQ(config.output, defaults.output);
  EXPECT_EQ(config.stream + config.run_id + config.cuda_home + config.library_path, "");
  EXPECT_FALSE(config.force);
  EXPECT_TRUE(config.manual);
  // What only says how much.
  EXPECT_EQ(config.api, ApiMode::kAll);
  EXPECT_EQ(config.queue_bytes, 7U << 20);
  EXPECT_THAT(complaints,
              ElementsAre(HasSubstr("PROF_OUTPUT, PROF_STREAM, PROF_FORCE, PROF_RUN_ID, CUDA_HOME, "
                                    "LD_LIBRARY_PATH: ignored, because this program runs with")));
  EXPECT_THAT(read({}, true).complaints, IsEmpty());
}

TEST(Config, GraphsAreRecordedByNodeOrAsAWhole) {
  const auto graph_trace = [](const char* word) {
    return read({{"PROF_GRAPH_TRACE", word}}).config.graph_trace;
  };
  EXPECT_EQ(read({}).config.graph_trace, GraphTrace::kNode);
  EXPECT_EQ(graph_trace("graph"), GraphTrace::kGraph);
  EXPECT_EQ(graph_trace("node"), GraphTrace::kNode);
  EXPECT_EQ(graph_trace("Graph"), GraphTrace::kNode);
  EXPECT_THAT(read({{"PROF_GRAPH_TRACE", "whole"}}).complaints,
              ElementsAre("PROF_GRAPH_TRACE=whole: not understood; graph or node expected, using "
                          "the default"));
}

TEST(Config, WordsSayWhatElseIsRecorded) {
  const auto interval = [](const char* words) {
    const auto [config, complaints] = read({{"PROF_TRACE", words}});
    return complaints.empty() ? config.trace.time_ns("device").value_or(0) : -1;
  };
  EXPECT_EQ(read({}).config.trace.time_ns("device").value_or(0), 1'000'000'000);
  EXPECT_EQ(interval("device"), 1'000'000'000);
  EXPECT_EQ(interval("device=100ms"), 100'000'000);
  EXPECT_EQ(interval("device=3600s"), 3'600'000'000'000);
  EXPECT_EQ(interval("no-device"), 0);
  EXPECT_EQ(interval("no-device,device=10ms"), 10'000'000);
  for (const char* const bad : {"devices", "device=", "device=1", "device=9ms", "device=3601s",
                                "device=-20ms", "device=99999999999999999999s", "device=10ms,x"}) {
    EXPECT_EQ(interval(bad), -1) << bad;
  }
  EXPECT_THAT(read({{"PROF_TRACE", "none"}}).complaints,
              ElementsAre("PROF_TRACE=none: not understood; " + expected_trace_words() +
                          " expected, using the default"));
}

TEST(Config, AllIsEveryWord) {
  const TraceWords all = read({{"PROF_TRACE", "device=100ms,no-osrt,all"}}).config.trace;
  EXPECT_EQ(all.time_ns("device"), 100'000'000);
  EXPECT_EQ(all.time_ns("osrt"), 1'000);
  EXPECT_TRUE(all.has("memory") && all.has("nccl"));
  EXPECT_EQ(all.words(&TraceWord::is_library).size(), 5U);
  const TraceWords none = read({{"PROF_TRACE", "all,no-all"}}).config.trace;
  EXPECT_EQ(none.time_ns("device"), std::nullopt);
  EXPECT_FALSE(none.has("osrt") || none.has("memory") || none.has("nccl"));
  EXPECT_TRUE(none.words(&TraceWord::is_library).empty());
  const TraceWords one = read({{"PROF_TRACE", "all,no-cublas"}}).config.trace;
  EXPECT_FALSE(one.has("cublas"));
  EXPECT_TRUE(one.has("cudnn"));
}

TEST(Config, AllocationsAreRecordedIfAskedFor) {
  EXPECT_FALSE(read({}).config.trace.has("memory"));
  EXPECT_TRUE(read({{"PROF_TRACE", "device=20ms,memory"}}).config.trace.has("memory"));
  EXPECT_FALSE(read({{"PROF_TRACE", "memory,no-memory"}}).config.trace.has("memory"));
}

TEST(Config, CallsOfNcclAreRecordedIfAskedFor) {
  EXPECT_FALSE(read({}).config.trace.has("nccl"));
  EXPECT_TRUE(read({{"PROF_TRACE", "nccl,device=20ms"}}).config.trace.has("nccl"));
  EXPECT_FALSE(read({{"PROF_TRACE", "nccl,no-nccl"}}).config.trace.has("nccl"));
}

TEST(Config, OperatingSystemCallsAreRecordedIfAskedFor) {
  const auto from = [](const char* words) {
    const auto [config, complaints] = read({{"PROF_TRACE", words}});
    return complaints.empty() ? config.trace.time_ns("osrt").value_or(-1) : -2;
  };
  EXPECT_FALSE(read({}).config.trace.time_ns("osrt"));
  EXPECT_EQ(from("device"), -1);
  EXPECT_EQ(from("osrt"), 1'000);
  EXPECT_EQ(from("osrt=0ns"), 0);
  EXPECT_EQ(from("osrt=500ns"), 500);
  EXPECT_EQ(from("osrt=20us"), 20'000);
  EXPECT_EQ(from("osrt=3600s"), 3'600'000'000'000);
  EXPECT_EQ(from("osrt,no-osrt"), -1);
  EXPECT_EQ(from("osrt=2ms,device=100ms"), 2'000'000);
  EXPECT_EQ(read({{"PROF_TRACE", "osrt,no-device"}}).config.trace.time_ns("device").value_or(0), 0);
  for (const char* const bad : {"osrt=", "osrt=1", "osrt=us", "osrt=-1us", "osrt=3601s", "osrt=1h",
                                "osrt=9223372036854775807s", "device=20us"}) {
    EXPECT_EQ(from(bad), -2) << bad;
  }
}

TEST(Config, EveryVariableIsRead) {
  const auto [config, complaints] = read({{"PROF_OUTPUT", "/tmp/a.db"},
                                          {"PROF_STREAM", "/tmp/a.jsonl"},
                                          {"PROF_API", "all"},
                                          {"PROF_FORCE", "1"},
                                          {"PROF_QUIET", "1"},
                                          {"PROF_START", "manual"},
                                          {"PROF_BETWEEN", "light"},
                                          {"PROF_QUEUE_MB", "7"},
                                          {"PROF_BUFFER_MB", "3"},
                                          {"PROF_RUN_ID", "5-6"},
                                          {"PROF_CUPTI_SHARED", "1"},
                                          {"CUDA_HOME", "/opt/cuda"}});
  EXPECT_EQ(config.output, "/tmp/a.db");
  EXPECT_EQ(config.stream, "/tmp/a.jsonl");
  EXPECT_EQ(config.api, ApiMode::kAll);
  EXPECT_TRUE(config.force && config.quiet && config.manual && config.stands_by);
  EXPECT_TRUE(config.shares_cupti);
  EXPECT_EQ(config.queue_bytes, 7U << 20);
  EXPECT_EQ(config.buffer_bytes, 3U << 20);
  EXPECT_EQ(config.run_id, "5-6");
  EXPECT_EQ(config.cuda_home, "/opt/cuda");
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Config, EachWrongValueGetsALineAndKeepsItsDefault) {
  const auto [config, complaints] = read({{"PROF_API", "everything"},
                                          {"PROF_FORCE", "yes"},
                                          {"PROF_START", "later"},
                                          {"PROF_BETWEEN", "dark"},
                                          {"PROF_QUEUE_MB", "12k"},
                                          {"PROF_BUFFER_MB", "0"}});
  EXPECT_EQ(config.api, ApiMode::kLaunch);
  EXPECT_FALSE(config.force || config.manual || config.stands_by);
  EXPECT_EQ(config.queue_bytes, 256U << 20);
  EXPECT_EQ(config.buffer_bytes, 128U << 20);
  EXPECT_THAT(complaints,
              ElementsAre(HasSubstr("PROF_API=everything"), HasSubstr("PROF_FORCE=yes"),
                          HasSubstr("PROF_QUEUE_MB=12k"), HasSubstr("PROF_BUFFER_MB=0"),
                          HasSubstr("PROF_START=later"),
                          HasSubstr("PROF_BETWEEN=dark: not understood; light or off")));
}

TEST(Config, NumbersTooLargeAreRefused) {
  EXPECT_EQ(read({{"PROF_QUEUE_MB", "99999999999999999999999"}}).complaints.size(), 1U);
  EXPECT_EQ(read({{"PROF_QUEUE_MB", "1048577"}}).complaints.size(), 1U);
  EXPECT_EQ(read({{"PROF_QUEUE_MB", "-1"}}).complaints.size(), 1U);
}

TEST(Config, WindowsAreRead) {
  const auto given = read({{"PROF_CAPTURE", "steps:3\nduration:5s"}});
  EXPECT_TRUE(given.complaints.empty());
  EXPECT_THAT(given.config.windows.words, ElementsAre("steps:3", "duration:5s"));
  EXPECT_FALSE(given.config.manual);
  const auto bad = read({{"PROF_CAPTURE", "steps:x"}});
  EXPECT_EQ(bad.complaints.size(), 1U);
  EXPECT_TRUE(bad.config.manual) << "a run of days must not be captured whole by mistake";
}

TEST(Config, TheRankIsWhatTheLauncherSays) {
  const auto rank = [](const std::map<std::string, std::string>& variables) {
    return read(variables).config.rank;
  };
  EXPECT_EQ(rank({}), "none");
  EXPECT_EQ(rank({{"RANK", "7"}, {"SLURM_PROCID", "1"}}), "7");
  EXPECT_EQ(rank({{"OMPI_COMM_WORLD_RANK", "2"}}), "2");
  EXPECT_EQ(rank({{"PMI_RANK", "4"}}), "4");
  EXPECT_EQ(rank({{"SLURM_PROCID", "11"}}), "11");
  // Nobody's rank, and nothing that belongs into a path.
  EXPECT_EQ(rank({{"RANK", "../../x"}}), "none");
  EXPECT_EQ(rank({{"RANK", ""}, {"PMIX_RANK", "5"}}), "5");
}

TEST(ProcessFacts, TellThisProcess) {
  const Facts facts = process_facts();
  const std::map<std::string, std::string> by_key(facts.begin(), facts.end());
  EXPECT_EQ(by_key.at("pid"), std::to_string(getpid()));
  EXPECT_THAT(by_key.at("executable"), testing::EndsWith("/inject_config_test"));
  EXPECT_THAT(by_key.at("command_line"), HasSubstr("inject_config_test"));
  EXPECT_EQ(by_key.at("host"), host_name());
  EXPECT_FALSE(by_key.at("kernel").empty());
  const std::string& boot = by_key.at("boot_id");
  EXPECT_EQ(boot.size(), 36u) << boot;
  EXPECT_EQ(boot.find('\n'), std::string::npos);
}

TEST(ProcessFacts, TellThePlaceInADistributedJob) {
  for (const JobVariable& variable : kJobVariables) setenv(variable.name, variable.name, 1);
  const Facts facts = process_facts();
  const std::map<std::string, std::string> by_key(facts.begin(), facts.end());
  for (const JobVariable& variable : kJobVariables) {
    EXPECT_EQ(by_key.at(std::string("env.") + variable.name), variable.name);
    unsetenv(variable.name);
  }
}

TEST(ProcessFacts, ArgumentsAreQuotedAsAShellTakesThem) {
  EXPECT_EQ(shell_join({"./app", "--n=1", "a b", "it's", ""}), "./app --n=1 'a b' 'it'\\''s' ''");
  EXPECT_EQ(shell_join({"$HOME", "a;b"}), "'$HOME' 'a;b'");
}

}  // namespace
}  // namespace prof::collectors
