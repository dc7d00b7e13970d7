// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How the stand-ins of libraries launch what they are asked for: a kernel of the function's name.
#pragma once

#include <dlfcn.h>

#include "standin.hpp"

/// 0, or what the driver answered.
inline int standin_launch(const char* function) {
  static const standin::Driver* const kDriver = [] {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"))(0);
    return reinterpret_cast<const standin::Driver* (*)()>(dlsym(library, "standin_driver"))();
  }();
  return kDriver->launch(standin::Door::kRuntime13, function, {4, 1, 1}, {128, 1, 1}, 7);
}
