// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-run's preparations, see launch_plan.hpp.
#include "tools/run/launch_plan.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "libprof/base/output_file.hpp"
#include "libprof/base/output_lock.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollector = "libprof_inject.so";

/// Whoever loads it, the loader replaces $ORIGIN, $LIB and $PLATFORM in its path.
Result<std::string> loadable(std::string path) {
  if (path.find('$') == std::string::npos) return path;
  return Error{"cannot be loaded from a folder with a dollar in its name", path,
               "install libprof elsewhere, or set PROF_COLLECTOR to a copy's path"};
}

/// The loader splits LD_PRELOAD there and knows no quotes.
bool can_be_preloaded(const std::string& path) {
  return path.find_first_of(" :") == std::string::npos;
}

/// A program that GCC's address sanitizer is in refuses to start behind a library that is preloaded
/// before it, though nothing of ours stands in its way. A later word wins: the user's own.
std::string sanitizer_options(const std::string& own) {
  constexpr const char* kAllowPreload = "verify_asan_link_order=0";
  return own.empty() ? kAllowPreload : std::string(kAllowPreload) + ":" + own;
}

}  // namespace

bool has_placeholder(const std::string& output) {
  return fs::path(output).filename().string().find('%') != std::string::npos;
}

std::string default_output(const std::string& program) {
  return "prof-" + fs::path(program).filename().string() + ".db";
}

Result<std::string> find_collector(const std::string& own_path, const std::string& told) {
  std::error_code error;
  if (!told.empty()) {
    const fs::path path = fs::absolute(told, error);
    if (!error && fs::is_regular_file(path, error)) return loadable(path.string());
    return Error{"is not a file", "PROF_COLLECTOR=" + told,
                 std::string("set it to the path of ") + kCollector};
  }
  const fs::path folder = fs::path(own_path).parent_path();
  // Beside the program, in the build tree, where CMake installs libraries, and where Debian does.
  for (const char* where :
       {".", "../lib", "../" PROF_INSTALL_LIBDIR, "../lib/x86_64-linux-gnu", "../lib64"}) {
    const fs::path path = (folder / where / kCollector).lexically_normal();
    if (fs::is_regular_file(path, error)) return loadable(path.string());
  }
  return Error{std::string(kCollector) + " was not found beside it or in ../lib", own_path,
               std::string("reinstall libprof or set PROF_COLLECTOR to the path of ") + kCollector};
}

Result<std::string> prepare_output(const std::string& name, bool force) {
  std::error_code error;
  const fs::path path = fs::absolute(name, error);
  const fs::path folder = path.parent_path();
  if (error || !path.has_filename())
    return Error{"is not a file name", name, "name a file with -o"};
  if (!fs::is_directory(folder, error)) {
    return Error{"there is no folder " + folder.string(), path.string(),
                 "create it or choose another output with -o"};
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{"the folder is not writable", path.string(), "choose another output with -o"};
  }
  PROF_TRY(check_length(path.string()));
  if (has_placeholder(path)) return path.string();
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return path.string();
  if (!fs::is_regular_file(status)) {
    return Error{"exists and is not a regular file", path.string(),
                 "choose another output with -o"};
  }
  if (!force) {
    if (const pid_t writer = writer_of(path.string()); writer != 0) {
      return Error{"is being written by process " + std::to_string(writer), path.string(),
                   "choose another output with -o"};
    }
    return Error{"exists", path.string(),
                 "replace it with --force or choose another output with -o"};
  }
  PROF_TRY(remove_finished_output(path.string()));
  return path.string();
}

Variables variables_for(const RunOptions& options, const std::string& collector,
                        const std::string& output, const std::string& stream,
                        const std::string& run_id, const OuterVariables& outer) {
  Variables variables = {{"PROF_OUTPUT", output}, {"PROF_RUN_ID", run_id}};
  if (can_be_preloaded(collector)) {
    // The two injection variables are left to the collector, which knows whether another tool holds
    // them.
    variables.emplace_back(
        "LD_PRELOAD", outer.ld_preload.empty() ? collector : collector + ":" + outer.ld_preload);
    variables.emplace_back("ASAN_OPTIONS", sanitizer_options(outer.asan_options));
  } else {
    // The driver and NVTX take a path as it is.
    if (outer.cuda_injection.empty()) variables.emplace_back("CUDA_INJECTION64_PATH", collector);
    if (outer.nvtx_injection.empty()) variables.emplace_back("NVTX_INJECTION64_PATH", collector);
  }
  if (!stream.empty()) variables.emplace_back("PROF_STREAM", stream);
  if (!options.api.empty()) variables.emplace_back("PROF_API", options.api);
  if (options.quiet) variables.emplace_back("PROF_QUIET", "1");
  return variables;
}

}  // namespace prof::tools
