// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the collector, see find_collector.hpp. The library's constructor is here, too: it sets
// environment variables, so that NVTX ranges opened before prof_start() are known at the start. In
// a program with more rights than its user, no variable may determine where code is (SECURITY.md).
#include "libprof/capi/find_collector.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libprof/control/collector_api.hpp"
#include "libprof/control/secure.hpp"
#include "libprof/control/stderr_identity.hpp"
#include "libprof/control/stderr_message.hpp"

namespace prof::capi {
namespace {

constexpr const char* kFileName = "libprof_inject.so";
constexpr const char* kInstalledName = "prof/libprof_inject.so";
constexpr const char* kGetter = "prof_collector_api_v1";

constinit std::atomic<const ProfCollectorApi*> g_collector{nullptr};

using Path = std::array<char, PATH_MAX>;

/// The collector's expected path: $PROF_COLLECTOR, or in folder prof beside this library, as it is
/// installed, or else beside it. Empty if too long.
Path collector_path() {
  Path path{};
  if (const char* override_path = secure_getenv("PROF_COLLECTOR");
      override_path != nullptr && *override_path != '\0') {
    if (std::strlen(override_path) < path.size()) std::strcpy(path.data(), override_path);
    return path;
  }
  Dl_info info{};
  static constexpr char kHere = 0;
  Path own{};
  if (dladdr(&kHere, &info) == 0 || info.dli_fname == nullptr ||
      realpath(info.dli_fname, own.data()) == nullptr) {
    return path;
  }
  const char* slash = std::strrchr(own.data(), '/');
  const auto folder = static_cast<std::size_t>(slash == nullptr ? 0 : slash + 1 - own.data());
  std::memcpy(path.data(), own.data(), folder);
  for (const char* name : {kInstalledName, kFileName}) {
    if (folder + std::strlen(name) >= path.size()) continue;
    std::strcpy(path.data() + folder, name);
    struct stat found {};  // Not access(), which checks the real user's rights.
    if (stat(path.data(), &found) == 0) break;
  }
  return path;
}

/// Identity of stderr when the program loaded this library; the collector is loaded later.
constinit ProfStderrIdentity g_stderr{};

const ProfCollectorApi* table_of(void* library) {
  auto* getter = reinterpret_cast<ProfCollectorApiGetter*>(dlsym(library, kGetter));
  return getter == nullptr ? nullptr : getter();
}

/// A collector loaded after this library may have found one of the program's files at descriptor 2.
void pass_stderr_identity(void* collector) {
  auto* set_stderr =
      reinterpret_cast<ProfCollectorStderrSetter*>(dlsym(collector, "prof_collector_stderr_v1"));
  if (set_stderr != nullptr) set_stderr(&g_stderr);
}

/// The collector already in the process, whichever code loaded it.
const ProfCollectorApi* find_loaded(const char* path) {
  if (const ProfCollectorApi* table = table_of(RTLD_DEFAULT)) return table;
  const char* const candidates[] = {secure_getenv("CUDA_INJECTION64_PATH"),
                                    secure_getenv("NVTX_INJECTION64_PATH"), path};
  for (const char* candidate : candidates) {
    if (candidate == nullptr || *candidate == '\0') continue;
    void* library = dlopen(candidate, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    const ProfCollectorApi* table = table_of(library);
    if (table != nullptr) pass_stderr_identity(library);
    dlclose(library);  // Only undoes the reference that dlopen added.
    if (table != nullptr) return table;
  }
  return nullptr;
}

const ProfCollectorApi* load(const char* path, char* message, std::size_t bytes) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    if (why == nullptr) why = "the collector could not be loaded";
    if (is_secure_program()) {
      std::snprintf(message, bytes, "%s; %s must lie beside libprof.so", why, kFileName);
    } else {
      std::snprintf(message, bytes, "%s; set PROF_COLLECTOR to the path of %s", why, kFileName);
    }
    return nullptr;
  }
  const ProfCollectorApi* table = table_of(library);
  if (table != nullptr) pass_stderr_identity(library);
  if (table == nullptr) {
    std::snprintf(message, bytes,
                  "%s: has no %s, so it is not this version's collector; set PROF_COLLECTOR to %s",
                  path, kGetter, kFileName);
  }
  return table;
}

/// In a program with more rights than its user, that user must not choose the code that it loads.
/// NVTX and the driver read their variables themselves, so these are removed from the environment,
/// as the loader does with its own.
void drop_foreign_code(const char* own_path) {
  char line[512] = "";
  std::size_t length = 0;
  const auto add = [&](const char* text) {
    length +=
        static_cast<std::size_t>(std::snprintf(line + length, sizeof line - length, "%s", text));
  };
  for (const char* name : {"PROF_COLLECTOR", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const bool is_nvtx = std::strcmp(name, "NVTX_INJECTION64_PATH") == 0;
    if (is_nvtx && std::strcmp(value, own_path) == 0) continue;
    if (length != 0) add(", ");
    add(name);
    unsetenv(name);
  }
  if (length == 0) return;
  add(kWhyIgnored);
  print_message(line);
}

/// NVTX asks for its injection library once per module, at the module's first call, which may come
/// before prof_start(). The collector must then not start by itself with CUDA, unless prof-run is
/// present.
__attribute__((constructor)) void on_load() {
  g_stderr = stderr_identity();
  const Path path = collector_path();
  if (is_secure_program()) {
    remember_stderr(g_stderr);
    drop_foreign_code(path.data());
  }
  // Under prof-run the collector is loaded, though its own constructor may not have run yet.
  if (dlsym(RTLD_DEFAULT, kGetter) != nullptr) return;
  struct stat info {};  // Not access(), which checks the real user's rights.
  if (stat(path.data(), &info) != 0) return;
  setenv("NVTX_INJECTION64_PATH", path.data(), 0);
  if (std::getenv("CUDA_INJECTION64_PATH") != nullptr || std::getenv("PROF_START") != nullptr)
    return;
  setenv("PROF_START", "manual", 1);
  setenv(kStartedByVariable, "libprof", 1);
}

}  // namespace

const ProfCollectorApi* known_collector() { return g_collector.load(std::memory_order_acquire); }

const ProfCollectorApi* find_collector(bool may_load, char* message, std::size_t bytes) {
  if (const ProfCollectorApi* known = known_collector()) {
    message[0] = '\0';
    return known;
  }
  message[0] = '\0';
  const Path path = collector_path();
  const ProfCollectorApi* table = find_loaded(path.data());
  if (table == nullptr && may_load) table = load(path.data(), message, bytes);
  if (table != nullptr && (table->version != 1 || table->struct_size < sizeof(ProfCollectorApi))) {
    std::snprintf(message, bytes,
                  "the collector in this process (version %s) does not match this library",
                  table->collector_version);
    table = nullptr;
  }
  if (table != nullptr) g_collector.store(table, std::memory_order_release);
  return table;
}

}  // namespace prof::capi
