// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine of the test program: the stand-in driver.
#include <dlfcn.h>

#include "runner.hpp"

const standin::Driver* load_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return nullptr;
  auto* initialize = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
  auto* table = reinterpret_cast<const standin::Driver* (*)()>(dlsym(library, "standin_driver"));
  if (initialize == nullptr || table == nullptr || initialize(0) != 0) return nullptr;
  return table();
}

void add_machine_commands(CommandTable&) {}
