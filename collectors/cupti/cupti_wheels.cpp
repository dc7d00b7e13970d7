// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_wheels.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <string_view>

#include "collectors/cupti/cupti_library.hpp"

namespace prof::collectors {
namespace {

/// Folders of the wheels for CUDA 12 and CUDA 13.
constexpr std::string_view kWheelFolders[] = {"nvidia/cuda_cupti/lib", "nvidia/cu13/lib"};
/// Relative to the folder of a collector that pip installed.
constexpr const char* kPackagesNearby = "/../../lib/python3.*/site-packages/";

/// The folder of packages that a file is in, with its last slash; empty: it is in none.
std::string packages_of(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    const std::size_t at = path.rfind(folder);
    if (at != std::string_view::npos) return std::string(path.substr(0, at + folder.size()));
  }
  return {};
}

std::vector<std::string> packages_near(const std::string& collector) {
  std::vector<std::string> found;
  const std::string pattern = collector.substr(0, collector.rfind('/')) + kPackagesNearby;
  glob_t paths{};
  if (glob(pattern.c_str(), 0, nullptr, &paths) == 0) {
    for (std::size_t i = 0; i < paths.gl_pathc; ++i) found.emplace_back(paths.gl_pathv[i]);
  }
  globfree(&paths);
  return found;
}

}  // namespace

std::vector<std::string> cupti_wheel_folders(const std::vector<std::string>& libraries,
                                             const std::string& collector) {
  std::vector<std::string> roots;
  const auto add = [&](std::string root) {
    const bool is_new = std::find(roots.begin(), roots.end(), root) == roots.end();
    if (!root.empty() && is_new) roots.push_back(std::move(root));
  };
  for (const std::string& path : libraries) add(packages_of(path));
  for (std::string& root : packages_near(collector)) add(std::move(root));
  std::vector<std::string> folders;
  for (const std::string& root : roots) {
    for (const std::string_view folder : kWheelFolders) {
      folders.push_back(std::string(root).append(folder));
    }
  }
  return folders;
}

std::vector<std::string> cupti_wheel_folders() {
  static constexpr char kHere = 0;
  Dl_info own{};
  const bool is_known = dladdr(&kHere, &own) != 0 && own.dli_fname != nullptr;
  return cupti_wheel_folders(mapped_libraries(""), is_known ? own.dli_fname : "");
}

}  // namespace prof::collectors
