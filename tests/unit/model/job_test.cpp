// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/model/job.hpp"

#include <gtest/gtest.h>

#include <map>

namespace prof {
namespace {

Job job(const std::map<std::string, std::string>& variables) {
  return job_of([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

TEST(JobTest, WithoutALauncherNothingIsKnown) {
  const Job none = job({});
  EXPECT_FALSE(none.rank || none.local_rank || none.world_size);
  EXPECT_EQ(none.run, "");
}

TEST(JobTest, EachLauncherIsUnderstood) {
  const Job torch = job(
      {{"RANK", "9"}, {"LOCAL_RANK", "1"}, {"WORLD_SIZE", "16"}, {"TORCHELASTIC_RUN_ID", "exp-7"}});
  EXPECT_EQ(torch.rank, 9u);
  EXPECT_EQ(torch.local_rank, 1u);
  EXPECT_EQ(torch.world_size, 16u);
  EXPECT_EQ(torch.run, "exp-7");
  const Job open_mpi = job({{"OMPI_COMM_WORLD_RANK", "3"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"PMIX_NAMESPACE", "prterun-n1-7@1"}});
  EXPECT_EQ(open_mpi.rank, 3u);
  EXPECT_EQ(open_mpi.local_rank, 2u);
  EXPECT_EQ(open_mpi.world_size, 4u);
  EXPECT_EQ(open_mpi.run, "prterun-n1-7@1");
  const Job mpich = job({{"PMI_RANK", "5"}, {"MPI_LOCALRANKID", "0"}, {"PMI_SIZE", "8"}});
  EXPECT_EQ(mpich.rank, 5u);
  EXPECT_EQ(mpich.local_rank, 0u);
  EXPECT_EQ(mpich.world_size, 8u);
  EXPECT_EQ(mpich.run, "");
  const Job mvapich = job({{"MV2_COMM_WORLD_RANK", "5"},
                           {"MV2_COMM_WORLD_LOCAL_RANK", "1"},
                           {"MV2_COMM_WORLD_SIZE", "8"}});
  EXPECT_EQ(mvapich.rank, 5u);
  EXPECT_EQ(mvapich.local_rank, 1u);
  EXPECT_EQ(mvapich.world_size, 8u);
  const Job slurm = job({{"SLURM_PROCID", "6"},
                         {"SLURM_LOCALID", "2"},
                         {"SLURM_NTASKS", "12"},
                         {"SLURM_JOB_ID", "4711"},
                         {"SLURM_STEP_ID", "0"}});
  EXPECT_EQ(slurm.rank, 6u);
  EXPECT_EQ(slurm.local_rank, 2u);
  EXPECT_EQ(slurm.world_size, 12u);
  EXPECT_EQ(slurm.run, "4711.0");
}

TEST(JobTest, TheLauncherClosestToTheProgramWins) {
  const Job nested = job({{"RANK", "3"},
                          {"LOCAL_RANK", "3"},
                          {"WORLD_SIZE", "8"},
                          {"TORCHELASTIC_RUN_ID", "a"},
                          {"SLURM_PROCID", "0"},
                          {"SLURM_LOCALID", "0"},
                          {"SLURM_NTASKS", "1"},
                          {"SLURM_JOB_ID", "4711"},
                          {"SLURM_STEP_ID", "2"}});
  EXPECT_EQ(nested.rank, 3u);
  EXPECT_EQ(nested.local_rank, 3u);
  EXPECT_EQ(nested.world_size, 8u);
  EXPECT_EQ(nested.run, "a");
}

TEST(JobTest, WhatIsNoNumberOrNoIdIsPassedOver) {
  const Job odd = job({{"RANK", "-1"},
                       {"PMI_RANK", "4294967296"},
                       {"SLURM_PROCID", "7"},
                       {"WORLD_SIZE", "8x"},
                       {"TORCHELASTIC_RUN_ID", "none"},
                       {"SLURM_JOB_ID", "12"}});
  EXPECT_EQ(odd.rank, 7u);
  EXPECT_EQ(odd.world_size, std::nullopt);
  EXPECT_EQ(odd.run, "12");
  EXPECT_EQ(job({{"SLURM_STEP_ID", "3"}}).run, "");
}

}  // namespace
}  // namespace prof
