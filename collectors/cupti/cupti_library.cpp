// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds libcupti, see cupti_library.hpp.
#include "collectors/cupti/cupti_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace prof::collectors {
namespace {

constexpr std::string_view kNewestFirst[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr std::string_view kOlderFirst[] = {"libcupti.so.12", "libcupti.so", "libcupti.so.13"};
constexpr int kCuda13 = 13000;

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

std::vector<std::string> cupti_candidates(const CuptiSearch& search) {
  const bool is_old = search.cuda_driver_version != 0 && search.cuda_driver_version < kCuda13;
  const auto& names = is_old ? kOlderFirst : kNewestFirst;
  std::vector<std::string> candidates;
  std::string_view folders = search.library_path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    if (folder.empty()) continue;
    for (std::string_view name : names)
      candidates.push_back(std::string(folder).append("/").append(name));
  }
  for (std::string_view name : names) {
    for (const std::string& wheel : search.wheel_folders)
      candidates.push_back(std::string(wheel).append("/").append(name));
  }
  candidates.insert(candidates.end(), std::begin(names), std::end(names));
  for (std::string_view root :
       {std::string_view(search.cuda_home), std::string_view("/usr/local/cuda")}) {
    if (root.empty()) continue;
    for (const char* folder : {"/lib64/", "/extras/CUPTI/lib64/"}) {
      for (std::string_view name : names)
        candidates.push_back(std::string(root).append(folder).append(name));
    }
  }
  return candidates;
}

Result<CuptiLibrary> find_cupti(const CuptiSearch& search) {
  for (const std::string& path : mapped_libraries("libcupti.so")) {
    // Tries the path, or the name if the file has since been replaced or removed.
    for (const char* name : {path.c_str(), file_name(path).data()}) {
      if (void* handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
        return CuptiLibrary{handle, path_of(handle, path), true};
      }
    }
  }
  std::string reason = "none of the usual names and folders has one";
  for (const std::string& candidate : cupti_candidates(search)) {
    if (void* handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return CuptiLibrary{handle, path_of(handle, candidate), false};
    }
    // A missing file says nothing; one that is there but does not load may be the reason.
    const char* message = dlerror();
    if (message != nullptr && std::strstr(message, "No such file") == nullptr) reason = message;
  }
  return Error{"no loadable libcupti was found: " + reason, "CUPTI",
               "install the CUDA toolkit's CUPTI, or add its folder to LD_LIBRARY_PATH"};
}

}  // namespace prof::collectors
