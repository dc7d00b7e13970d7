// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What prof-run gives to the program that it starts: which variables, which output. Checks what can
// be checked before the program runs. Starts nothing and changes nothing. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"

namespace prof::tools {

struct RunOptions {
  std::string output;  ///< Empty: default_output().
  std::string stream;
  std::string api;  ///< Empty: as PROF_API says, else launch.
  bool force = false;
  bool quiet = false;
  std::vector<std::string> command;  ///< The program and its arguments; not empty.
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// "prof-APP.db" in the current folder, APP being the program's file name.
std::string default_output(const std::string& program);

/// The collector that belongs to the program at `own_path` (/proc/self/exe): beside it, in ../lib,
/// or in the folder libraries are installed in. $PROF_COLLECTOR, if `told` is not empty, decides
/// alone.
Result<std::string> find_collector(const std::string& own_path, const std::string& told);

/// Whether the collector fills something into the file's name; a folder's name has no placeholders.
bool has_placeholder(const std::string& output);

struct Output {
  std::string path;  ///< Absolute, with its placeholders.
  std::string old;   ///< fingerprint() of what lies there and gives way to the new one; or empty.
};

/// An output whose folder is there and writable and where nothing is that must be kept. With
/// `force` an existing file gives way, once there is a new one, unless it is being written. A name
/// with a placeholder is not checked for existence. `option` is what chose the name.
Result<Output> prepare_output(const std::string& path, bool force, const char* option = "-o");

/// Whether the run left an output of that name; `since_ns`: when it began, by CLOCK_REALTIME.
bool was_written(const Output& output, std::int64_t since_ns);

/// What is set already and must be kept; empty: not set.
struct OuterVariables {
  std::string ld_preload = {}, asan_options = {}, cuda_injection = {}, nvtx_injection = {};
};

/// The variables to set. The collector comes before what is preloaded already. Where its path has a
/// blank or a colon, which LD_PRELOAD cannot hold, the driver and NVTX load it by themselves.
Variables variables_for(const RunOptions& options, const std::string& collector,
                        const Output& output, const Output& stream, const std::string& run_id,
                        const OuterVariables& outer);

}  // namespace prof::tools
