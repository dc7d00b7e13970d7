// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points of libprof_inject.so (NVTX's are in collectors/nvtx). Loading it sets two
// variables and does nothing else, for LD_PRELOAD puts it into every shell and helper of a run as
// well; the capture begins when the CUDA driver starts and calls InitializeInjection.
#include <dlfcn.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "collectors/inject/capture_control.hpp"
#include "collectors/inject/say.hpp"
#include "collectors/inject/secure.hpp"

namespace prof::collectors {
namespace {

bool is_same_file(const char* first, const char* second) {
  struct stat a {
  }, b{};
  return stat(first, &a) == 0 && stat(second, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/// Points a variable to this library. False: it belongs to another tool.
bool claim(const char* variable, const char* own_path) {
  const char* holder = std::getenv(variable);
  if (holder == nullptr || *holder == '\0') {
    setenv(variable, own_path, 1);
    return true;
  }
  return is_same_file(holder, own_path);
}

/// Says who holds a variable: once in a tree of processes, and only where a capture was asked for.
void tell_holder(const char* variable, const char* what_is_missing) {
  constexpr const char* kTold = "PROF_HOLDER_TOLD";
  if (std::getenv(kTold) != nullptr || std::getenv("PROF_OUTPUT") == nullptr) return;
  setenv(kTold, "1", 1);
  say(std::string(variable) + " is already set to " + std::getenv(variable) + ": " +
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

__attribute__((constructor)) void on_load() {
  remember_stderr();
  // There a capture begins with prof_start() alone. NVTX's variable is set by libprof.so.
  if (is_secure_program()) return;
  const std::string path = own_path();
  if (path.empty()) return;
  if (!claim("NVTX_INJECTION64_PATH", path.c_str())) {
    tell_holder("NVTX_INJECTION64_PATH", "no NVTX ranges are captured");
  }
  // A program that starts its captures itself (prof/prof.h) does not want one with the driver's
  // start.
  const char* start = std::getenv("PROF_START");
  if (start != nullptr && std::strcmp(start, "manual") == 0) return;
  if (claim("CUDA_INJECTION64_PATH", path.c_str())) {
    expect_automatic_capture();
  } else {
    tell_holder("CUDA_INJECTION64_PATH", "nothing is captured");
  }
}

// In case the exit handlers could not be set; after them there is only what destructors of the
// program have launched since.
__attribute__((destructor)) void on_unload() {
  end_capture_at_exit();
  tell_late_launches();
}

}  // namespace
}  // namespace prof::collectors

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

// Called by the CUDA driver inside its own start. Anything but 1 would be told to the user by it.
PROF_EXPORT int InitializeInjection() {
  prof::collectors::start_capture_from_environment();
  return 1;
}

PROF_EXPORT void prof_collector_stderr_v1(const ProfStderrIdentity* identity) {
  prof::collectors::remember_stderr(*identity);
}

PROF_EXPORT const ProfCollectorApi* prof_collector_api_v1() {
  return &prof::collectors::collector_api();
}
