// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finding libcupti, see cupti_library.hpp.
#include "collectors/cupti/cupti_library.hpp"

#include <dlfcn.h>
#include <link.h>

namespace prof::collectors {
namespace {

constexpr std::string_view kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

struct Search {
  std::string_view prefix;
  std::vector<std::string> found;
};

int note_library(dl_phdr_info* library, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (library->dlpi_name != nullptr && file_name(library->dlpi_name).starts_with(search->prefix)) {
    search->found.emplace_back(library->dlpi_name);
  }
  return 0;
}

std::string path_of(void* handle, std::string_view fallback) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr) {
    return map->l_name;
  }
  return std::string(fallback);
}

}  // namespace

std::vector<std::string> mapped_libraries(std::string_view prefix) {
  Search search{prefix, {}};
  dl_iterate_phdr(note_library, &search);
  return search.found;
}

std::vector<std::string> cupti_candidates(std::string_view cuda_home) {
  std::vector<std::string> candidates(std::begin(kNames), std::end(kNames));
  for (std::string_view root : {cuda_home, std::string_view("/usr/local/cuda")}) {
    if (root.empty()) continue;
    for (const char* folder : {"/lib64/", "/extras/CUPTI/lib64/"}) {
      for (std::string_view name : kNames) {
        candidates.push_back(std::string(root).append(folder).append(name));
      }
    }
  }
  return candidates;
}

Result<CuptiLibrary> find_cupti(std::string_view cuda_home) {
  for (const std::string& path : mapped_libraries("libcupti.so")) {
    // By its path; by its name where the file has been replaced or removed since.
    for (const char* name : {path.c_str(), file_name(path).data()}) {
      if (void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
        return CuptiLibrary{handle, path_of(handle, path), true};
      }
    }
  }
  std::string first_error;
  for (const std::string& candidate : cupti_candidates(cuda_home)) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return CuptiLibrary{handle, path_of(handle, candidate), false};
    }
    if (const char* message = dlerror(); message != nullptr && first_error.empty())
      first_error = message;
  }
  return Error{
      "no libcupti was found (" + first_error + ")", "CUPTI",
      "install the CUDA toolkit's CUPTI, or add its folder to LD_LIBRARY_PATH or set CUDA_HOME"};
}

}  // namespace prof::collectors
