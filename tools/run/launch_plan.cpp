// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-run's preparations, see launch_plan.hpp.
#include "tools/run/launch_plan.hpp"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace prof::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollector = "libprof_inject.so";

bool has_placeholder(const std::string& name) { return name.find('%') != std::string::npos; }

}  // namespace

std::string default_output(const std::string& program) {
  return "prof-" + fs::path(program).filename().string() + ".db";
}

Result<std::string> find_collector(const std::string& own_path, const std::string& told) {
  std::error_code error;
  if (!told.empty()) {
    const fs::path path = fs::absolute(told, error);
    if (!error && fs::is_regular_file(path, error)) return path.string();
    return Error{"is not a file", "PROF_COLLECTOR=" + told,
                 std::string("set it to the path of ") + kCollector};
  }
  const fs::path folder = fs::path(own_path).parent_path();
  // Beside the program, in the build tree, where CMake installs libraries, and where Debian does.
  for (const char* where :
       {".", "../lib", "../" PROF_INSTALL_LIBDIR, "../lib/x86_64-linux-gnu", "../lib64"}) {
    const fs::path path = (folder / where / kCollector).lexically_normal();
    if (fs::is_regular_file(path, error)) return path.string();
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
  if (has_placeholder(path.filename().string())) return path.string();
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return path.string();
  if (!fs::is_regular_file(status)) {
    return Error{"exists and is not a regular file", path.string(),
                 "choose another output with -o"};
  }
  if (!force) {
    return Error{"exists", path.string(),
                 "replace it with --force or choose another output with -o"};
  }
  if (!fs::remove(path, error))
    return Error{"cannot be replaced: " + error.message(), path.string(), ""};
  // What an interrupted run may have left beside it must not be taken for the new file's.
  fs::remove(path.string() + "-journal", error);
  return path.string();
}

Variables variables_for(const RunOptions& options, const std::string& collector,
                        const std::string& output, const std::string& stream,
                        const std::string& run_id, const std::string& preload) {
  // The two injection variables are left to the collector, which knows whether another tool holds
  // them.
  Variables variables = {
      {"LD_PRELOAD", preload.empty() ? collector : collector + ":" + preload},
      {"PROF_OUTPUT", output},
      {"PROF_RUN_ID", run_id},
  };
  if (!stream.empty()) variables.emplace_back("PROF_STREAM", stream);
  if (!options.api.empty()) variables.emplace_back("PROF_API", options.api);
  if (options.quiet) variables.emplace_back("PROF_QUIET", "1");
  return variables;
}

}  // namespace prof::tools
