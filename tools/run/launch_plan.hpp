// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The environment variables and the output that prof-run sets up for the program. Checks what can
// be checked before the program runs. Starts nothing and changes nothing. One thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::tools {

struct RunOptions {
  std::string output;  ///< Empty: default_output().
  std::string stream;
  std::string api;                   ///< Empty: from PROF_API, else launch.
  std::vector<std::string> capture;  ///< Words of --capture; empty: from PROF_CAPTURE.
  std::string max_size;              ///< Empty: from PROF_MAX_SIZE, else none.
  std::string metrics;               ///< A file (metrics_writer.hpp); empty: none.
  std::string between;               ///< Empty: from PROF_BETWEEN, else light.
  std::string graph_trace;           ///< Empty: from PROF_GRAPH_TRACE, else node.
  std::string trace;  ///< Words of PROF_TRACE: what else to record; empty: read from there.
  std::vector<std::string> interposers;  ///< Preloaded before the collector (find_interposer()).
  std::string nccl_plugin;  ///< Reports NCCL's calls (find_nccl_plugin()); empty: not asked.
  bool force = false;
  bool quiet = false;
  int pid = 0;                       ///< The process to steer; 0: a program is run.
  std::vector<std::string> command;  ///< The program and its arguments; not empty.
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// "prof-APP.db" in the current folder, APP being the program's file name.
std::string default_output(const std::string& program);

/// The collector that belongs to the program at `own_path` (/proc/self/exe): beside it, in ../lib,
/// or in folder prof of the installation's library folder. A non-empty `override_path`
/// ($PROF_COLLECTOR) takes precedence.
Result<std::string> find_collector(const std::string& own_path, const std::string& override_path);

/// The driver loads one library: `holder`, CUDA_INJECTION64_PATH before the run, must be no other.
Status check_injection(const std::string& holder, const std::string& collector);

/// The folder of prof_torch and prof_trace that belong to the program at `own_path`; empty: they
/// are not there.
std::string find_python_packages(const std::string& own_path);

/// The library beside the collector that interposes what a word of --trace names: "osrt",
/// "cublas".
Result<std::string> find_interposer(const std::string& collector, const std::string& word);
/// The library beside the collector that is a profiler plugin of NCCL.
Result<std::string> find_nccl_plugin(const std::string& collector);

struct TracePath {
  std::string path;  ///< Absolute, with its placeholders.
  std::string old;   ///< Fingerprint of existing files that may be replaced, or empty.
};

/// Checks an output: its folder exists and is writable, and no file must be kept. With `force` an
/// existing trace may be replaced once there is a new one, unless it is being written. Of a name
/// with placeholders the file of window 1 is checked, if that is all that they say. `option` is the
/// option that set the name.
Result<TracePath> prepare_output(const std::string& path, bool force, const char* option = "-o");

/// Variables already set, which must be kept; empty: not set.
struct OuterVariables {
  std::string ld_preload = {}, asan_options = {}, cuda_injection = {}, nvtx_injection = {},
              python_path = {};
};

/// The variables to set. `packages`, unless empty, comes last in PYTHONPATH, so that
/// `python3 -m prof_torch` works. Our libraries come before those already in LD_PRELOAD. If its
/// path has a blank or a colon, which LD_PRELOAD cannot hold, the driver and NVTX load it instead.
Variables variables_for(const RunOptions& options, const std::string& collector,
                        const TracePath& output, const TracePath& stream, const std::string& run_id,
                        const OuterVariables& outer, const std::string& packages = {});

}  // namespace prof::tools
