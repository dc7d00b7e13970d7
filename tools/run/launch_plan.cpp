// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-run's preparations, see launch_plan.hpp.
#include "tools/run/launch_plan.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "libprof/base/clock.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/base/output_lock.hpp"
#include "libprof/base/output_removal.hpp"
#include "libprof/control/placeholders.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCollector = "libprof_inject.so";
constexpr const char* kNcclPlugin = "libprof_nccl.so";
constexpr std::size_t kLongestPlugin = 254;  ///< NCCL cuts longer paths.

/// However it is loaded, the loader expands $ORIGIN, $LIB and $PLATFORM in its path.
Result<std::string> loadable(std::string path) {
  if (path.find('$') == std::string::npos) return path;
  return Error{"cannot be loaded from a folder with a dollar sign in its name", path,
               "install libprof elsewhere, or set PROF_COLLECTOR to a copy's path"};
}

/// The loader splits LD_PRELOAD there and has no quoting.
bool can_be_preloaded(const std::string& path) {
  return path.find_first_of(" :") == std::string::npos;
}

/// A program built with GCC's address sanitizer refuses to start after another preloaded library,
/// though ours does not interfere. A later option wins: the user's own.
std::string sanitizer_options(const std::string& own) {
  constexpr const char* kAllowPreload = "verify_asan_link_order=0";
  return own.empty() ? kAllowPreload : std::string(kAllowPreload) + ":" + own;
}

Result<std::string> find_beside(const std::string& collector, const std::string& name,
                                const std::string& word) {
  std::string path = fs::path(collector).replace_filename(name).string();
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  return Error{name + " is not beside the collector", collector,
               "reinstall libprof or run without --trace " + word};
}

}  // namespace

std::string default_output(const std::string& program) {
  return "prof-" + fs::path(program).filename().string() + ".db";
}

Result<std::string> find_collector(const std::string& own_path, const std::string& override_path) {
  std::error_code error;
  if (!override_path.empty()) {
    const fs::path path = fs::absolute(override_path, error);
    if (!error && fs::is_regular_file(path, error)) return loadable(path.string());
    return Error{"is not a file", "PROF_COLLECTOR=" + override_path,
                 std::string("set it to the path of ") + kCollector};
  }
  const fs::path folder = fs::path(own_path).parent_path();
  // Beside the program, in the build tree, and where CMake, packages and wheels install it.
  for (const char* where :
       {"../" PROF_INSTALL_LIBDIR "/prof", "../lib/prof", "../lib/x86_64-linux-gnu/prof",
        "../lib64/prof", "../libexec/prof", ".", "../lib"}) {
    const fs::path path = (folder / where / kCollector).lexically_normal();
    if (fs::is_regular_file(path, error)) return loadable(path.string());
  }
  return Error{std::string(kCollector) + " was not found beside it or in ../lib/prof", own_path,
               std::string("reinstall libprof or set PROF_COLLECTOR to the path of ") + kCollector};
}

Status check_injection(const std::string& holder, const std::string& collector) {
  std::error_code error;
  if (holder.empty() || fs::equivalent(holder, collector, error)) return {};
  return Error{"is set: the driver loads that library, and nothing would be captured",
               "CUDA_INJECTION64_PATH=" + holder, "unset it to use prof"};
}

std::string find_python_packages(const std::string& own_path) {
  std::error_code error;
  const fs::path folder = fs::path(own_path).parent_path();
  for (const char* data : {"../share", "../" PROF_INSTALL_DATADIR}) {
    std::string path = (folder / data / "prof/python").lexically_normal().string();
    const bool is_there = fs::is_regular_file(fs::path(path) / "prof_torch/__init__.py", error);
    // PYTHONPATH has no quoting.
    if (is_there && path.find(':') == std::string::npos) return path;
  }
  return {};
}

Result<std::string> find_interposer(const std::string& collector, const std::string& word) {
  const std::string name = "libprof_" + word + ".so";
  auto found = find_beside(collector, name, word);
  if (!found || can_be_preloaded(*found)) return found;
  return Error{"cannot be preloaded from a folder with a blank or a colon in its name", *found,
               "install libprof elsewhere or run without --trace " + word};
}

Result<std::string> find_nccl_plugin(const std::string& collector) {
  auto found = find_beside(collector, kNcclPlugin, "nccl");
  if (!found || found->size() <= kLongestPlugin) return found;
  return Error{"cannot be loaded by NCCL, which cuts paths of more than " +
                   std::to_string(kLongestPlugin) + " bytes",
               *found, "install libprof elsewhere or run without --trace nccl"};
}

Result<TracePath> prepare_output(const std::string& name, bool force, const char* option) {
  std::error_code error;
  const fs::path path = fs::absolute(name, error);
  const fs::path folder = path.parent_path();
  const std::string choose = std::string("choose another output with ") + option;
  if (error) return Error{"the working folder is gone", name, "give an absolute path"};
  if (!path.has_filename())
    return Error{"is not a file name", name, std::string("name a file with ") + option};
  if (!fs::is_directory(folder, error)) {
    return Error{"there is no folder " + folder.string(), path.string(), "create it or " + choose};
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{"the folder is not writable", path.string(), choose};
  }
  const Result<std::string> resolved = resolve_folder(path.string());
  if (resolved) PROF_TRY(check_length(*resolved));
  if (has_placeholder(path.string())) {
    const std::string first = name_of_first_window(path.string());
    if (!force && !first.empty() && fs::exists(fs::symlink_status(first, error))) {
      return Error{"exists", first, "replace it with --force or " + choose};
    }
    return TracePath{path.string(), force ? fingerprint_of_older(now_ns()) : std::string()};
  }
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return TracePath{path.string(), {}};
  if (!fs::is_regular_file(status)) {
    return Error{"exists and is not a regular file", path.string(), choose};
  }
  if (const pid_t writer = writer_of(path.string()); writer != 0) {
    return Error{"is being written by " + name_of_writer(writer), path.string(), choose};
  }
  if (!force) return Error{"exists", path.string(), "replace it with --force or " + choose};
  PROF_TRY(check_replaceable(path.string()));
  return TracePath{path.string(), fingerprint(path.string())};
}

Variables variables_for(const RunOptions& options, const std::string& collector,
                        const TracePath& output, const TracePath& stream, const std::string& run_id,
                        const OuterVariables& outer, const std::string& packages) {
  Variables variables = {{"PROF_OUTPUT", output.path}, {"PROF_RUN_ID", run_id}};
  if (!output.old.empty()) variables.emplace_back("PROF_REPLACE", output.old);
  if (can_be_preloaded(collector)) {
    // The collector sets the two injection variables itself, since it knows whether another tool
    // uses them.
    std::vector<std::string> libraries = options.interposers;
    libraries.insert(libraries.end(), {collector, outer.ld_preload});
    std::string preload;
    for (const std::string& next : libraries) {
      preload.append(preload.empty() || next.empty() ? "" : ":").append(next);
    }
    variables.emplace_back("LD_PRELOAD", preload);
    variables.emplace_back("ASAN_OPTIONS", sanitizer_options(outer.asan_options));
  } else {
    // The driver and NVTX accept any path.
    if (outer.cuda_injection.empty()) variables.emplace_back("CUDA_INJECTION64_PATH", collector);
    if (outer.nvtx_injection.empty()) variables.emplace_back("NVTX_INJECTION64_PATH", collector);
  }
  if (!packages.empty()) {
    variables.emplace_back(
        "PYTHONPATH", outer.python_path.empty() ? packages : outer.python_path + ":" + packages);
  }
  if (!stream.path.empty()) variables.emplace_back("PROF_STREAM", stream.path);
  if (!stream.old.empty()) variables.emplace_back("PROF_REPLACE_STREAM", stream.old);
  if (!options.nccl_plugin.empty())
    variables.emplace_back("NCCL_PROFILER_PLUGIN", options.nccl_plugin);
  if (!options.api.empty()) variables.emplace_back("PROF_API", options.api);
  if (!options.trace.empty()) variables.emplace_back("PROF_TRACE", options.trace);
  if (!options.graph_trace.empty()) {
    variables.emplace_back("PROF_GRAPH_TRACE", options.graph_trace);
  }
  if (!options.capture.empty()) {
    std::string lines;
    for (const std::string& spec : options.capture) lines += spec + '\n';
    variables.emplace_back("PROF_CAPTURE", lines);
  }
  if (!options.max_size.empty()) variables.emplace_back("PROF_MAX_SIZE", options.max_size);
  if (!options.between.empty()) variables.emplace_back("PROF_BETWEEN", options.between);
  if (options.quiet) variables.emplace_back("PROF_QUIET", "1");
  return variables;
}

}  // namespace prof::tools
