// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A process's place in a distributed job, as launchers set it in the environment: torchrun, Open
// MPI, PMIx, MPICH and Intel MPI (PMI), MVAPICH, Slurm. The only table of these variables, used to
// record them, to expand `%r` in file names, and to read traces. Pure functions.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prof {

/// The fact about a process that a variable states.
enum class JobFact : std::uint8_t { kRank, kLocalRank, kWorldSize, kRun, kRunStep };

struct JobVariable {
  JobFact fact;
  const char* name;
};

/// Among several variables with the same meaning the first one set wins: that of the launcher
/// closest to the program, such as torchrun under Slurm.
inline constexpr std::array kJobVariables = {
    JobVariable{JobFact::kRank, "RANK"},
    JobVariable{JobFact::kRank, "OMPI_COMM_WORLD_RANK"},
    JobVariable{JobFact::kRank, "PMIX_RANK"},
    JobVariable{JobFact::kRank, "PMI_RANK"},
    JobVariable{JobFact::kRank, "MV2_COMM_WORLD_RANK"},
    JobVariable{JobFact::kRank, "SLURM_PROCID"},
    JobVariable{JobFact::kLocalRank, "LOCAL_RANK"},
    JobVariable{JobFact::kLocalRank, "OMPI_COMM_WORLD_LOCAL_RANK"},
    JobVariable{JobFact::kLocalRank, "MPI_LOCALRANKID"},
    JobVariable{JobFact::kLocalRank, "MV2_COMM_WORLD_LOCAL_RANK"},
    JobVariable{JobFact::kLocalRank, "SLURM_LOCALID"},
    JobVariable{JobFact::kWorldSize, "WORLD_SIZE"},
    JobVariable{JobFact::kWorldSize, "OMPI_COMM_WORLD_SIZE"},
    JobVariable{JobFact::kWorldSize, "PMI_SIZE"},
    JobVariable{JobFact::kWorldSize, "MV2_COMM_WORLD_SIZE"},
    JobVariable{JobFact::kWorldSize, "SLURM_NTASKS"},
    JobVariable{JobFact::kRun, "TORCHELASTIC_RUN_ID"},
    JobVariable{JobFact::kRun, "PMIX_NAMESPACE"},
    JobVariable{JobFact::kRun, "OMPI_MCA_ess_base_jobid"},
    JobVariable{JobFact::kRun, "SLURM_JOB_ID"},
    JobVariable{JobFact::kRunStep, "SLURM_STEP_ID"},  ///< A step of SLURM_JOB_ID.
};

struct Job {
  std::optional<std::uint32_t> rank, local_rank, world_size;
  /// Equal for the ranks of one run; empty if no launcher sets it. The converse does not hold:
  /// launchers may give two runs the same id.
  std::string run;
};

/// A decimal number without a sign; nullopt for anything else.
inline std::optional<std::uint32_t> job_number(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

/// `value_of(name)` returns a variable's value as a string or string_view, empty if unset.
template <typename ValueOf>
Job job_of(ValueOf value_of) {
  Job job;
  bool run_has_steps = false;
  for (const JobVariable& variable : kJobVariables) {
    const auto value = value_of(variable.name);
    const auto take = [&](std::optional<std::uint32_t>& number) {
      if (!number) number = job_number(value);
    };
    switch (variable.fact) {
      case JobFact::kRank:
        take(job.rank);
        break;
      case JobFact::kLocalRank:
        take(job.local_rank);
        break;
      case JobFact::kWorldSize:
        take(job.world_size);
        break;
      case JobFact::kRun:
        // torchrun calls every run without an id "none".
        if (!job.run.empty() || value.empty() || value == "none") break;
        job.run = value;
        run_has_steps = std::string_view(variable.name) == "SLURM_JOB_ID";
        break;
      case JobFact::kRunStep:
        if (run_has_steps && !value.empty()) job.run.append(".").append(value);
        break;
    }
  }
  return job;
}

}  // namespace prof
