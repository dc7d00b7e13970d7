// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points of libprof_inject.so (NVTX's are in collectors/nvtx). Loading it sets two
// variables and does next to nothing else, because LD_PRELOAD also puts it into every shell and
// helper of a run; the capture starts when the CUDA driver starts and calls InitializeInjection.
#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "collectors/core/global.hpp"
#include "collectors/inject/capture_control.hpp"
#include "collectors/inject/run_end.hpp"
#include "collectors/inject/window_control.hpp"
#include "libprof/control/secure.hpp"
#include "libprof/control/stderr_message.hpp"
#include "libprof/control/trace_words.hpp"

namespace prof::collectors {
namespace {

bool is_same_file(const char* first, const char* second) {
  struct stat a {
  }, b{};
  return stat(first, &a) == 0 && stat(second, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

bool is_set_to(const char* variable, const char* value) {
  const char* set = std::getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

/// Sets a variable to this library's path. False: it belongs to another tool.
bool claim(const char* variable, const char* own_path) {
  const char* holder = std::getenv(variable);
  if (holder == nullptr || *holder == '\0') {
    setenv(variable, own_path, 1);
    return true;
  }
  return is_same_file(holder, own_path);
}

/// Reports the owner of a variable: once per process tree, and only if a capture was requested.
void report_variable_in_use(const char* variable, const char* what_is_missing) {
  constexpr const char* kReported = "PROF_HOLDER_REPORTED";
  if (std::getenv(kReported) != nullptr || std::getenv("PROF_OUTPUT") == nullptr) return;
  setenv(kReported, "1", 1);
  print_message(std::string(variable) + " is already set to " + std::getenv(variable) + ": " +
                what_is_missing + "; unset it to use prof");
}

std::string own_path() {
  Dl_info info{};
  static constexpr char kHere = 0;
  if (dladdr(&kHere, &info) == 0 || info.dli_fname == nullptr) return {};
  char* absolute = realpath(info.dli_fname, nullptr);
  if (absolute == nullptr) return info.dli_fname;
  std::string path(absolute);
  std::free(absolute);
  return path;
}

/// Calls of the operating system may come from malloc, so their threads must be registered without
/// it: by one of the first thread-specific keys, which libc keeps in the thread itself. By the time
/// the capture starts, the program may have taken those.
void make_key_for_os_calls() {
  const char* words = std::getenv("PROF_TRACE");
  TraceWords read;
  if (words != nullptr && read.parse(words) && read.has("osrt")) {
    static_cast<void>(global());
  }
}

__attribute__((constructor)) void on_load() {
  remember_stderr();
  // In such a program only prof_start() starts a capture. libprof.so sets NVTX's variable.
  if (is_secure_program()) return;
  expect_trace_of_run();
  const std::string path = own_path();
  if (path.empty()) return;
  if (!claim("NVTX_INJECTION64_PATH", path.c_str())) {
    report_variable_in_use("NVTX_INJECTION64_PATH", "no NVTX ranges are captured");
  }
  // A program that starts its captures itself (prof/prof.h) does not want one to start with the
  // driver.
  if (is_set_to("PROF_START", "manual")) {
    if (is_set_to("PROF_BETWEEN", "light") && !claim("CUDA_INJECTION64_PATH", path.c_str())) {
      report_variable_in_use("CUDA_INJECTION64_PATH",
                             "CUDA graphs made before a capture stay unknown");
    }
    return;
  }
  if (claim("CUDA_INJECTION64_PATH", path.c_str())) {
    expect_automatic_capture();
    expect_windows();
    if (has_windows()) watch_forks();
    make_key_for_os_calls();
  } else {
    report_variable_in_use("CUDA_INJECTION64_PATH", "nothing is captured");
  }
}

// Needed if the exit handlers could not be registered; after them only the program's destructors
// may have launched more.
__attribute__((destructor)) void on_unload() {
  end_capture_at_exit();
  report_late_launches();
  report_missing_trace();
}

}  // namespace
}  // namespace prof::collectors

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

// Called by the CUDA driver during its own start. The driver would report any value but 1 to the
// user.
PROF_EXPORT int InitializeInjection() {
  prof::collectors::start_capture_from_environment();
  return 1;
}

PROF_EXPORT void prof_collector_stderr_v1(const ProfStderrIdentity* identity) {
  prof::remember_stderr(*identity);
}

PROF_EXPORT const ProfCollectorApi* prof_collector_api_v1() {
  return &prof::collectors::collector_api();
}
