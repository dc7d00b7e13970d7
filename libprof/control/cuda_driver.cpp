// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/cuda_driver.hpp"

#include <dlfcn.h>

namespace prof {
namespace {

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kWhatToDo =
    "; run it on a machine with an NVIDIA GPU and its driver; a container must be given them "
    "(docker run --gpus all)";

}  // namespace

std::optional<std::string> why_no_driver() {
  if (dlopen(kDriver, RTLD_LAZY | RTLD_LOCAL) != nullptr) return std::nullopt;
  const char* const why = dlerror();
  return std::string("no NVIDIA driver is installed here (")
      .append(why != nullptr ? why : kDriver)
      .append(")")
      .append(kWhatToDo);
}

std::optional<std::string> why_driver_fails() {
  void* const driver = dlopen(kDriver, RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return std::nullopt;
  const auto start = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto explain =
      reinterpret_cast<int (*)(int, const char**)>(dlsym(driver, "cuGetErrorString"));
  const int code = start != nullptr ? start(0) : 0;
  if (code == 0) return std::nullopt;
  const char* meaning = nullptr;
  if (explain != nullptr) explain(code, &meaning);
  return std::string("the NVIDIA driver does not start here (")
      .append(meaning != nullptr ? meaning : "cuInit")
      .append(", error ")
      .append(std::to_string(code))
      .append(")")
      .append(kWhatToDo);
}

}  // namespace prof
