// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/real_function.hpp"

#include <dlfcn.h>

namespace prof::collectors {

void* RealFunction::find() noexcept {
  void* found = dlvsym(RTLD_NEXT, symbol_, library_);
  if (found == nullptr) {
    // A library that the program loads with RTLD_LOCAL, as Python loads its modules, is outside the
    // scope that RTLD_NEXT searches.
    if (void* loaded = dlopen(library_, RTLD_LAZY | RTLD_NOLOAD); loaded != nullptr) {
      found = dlvsym(loaded, symbol_, library_);
      dlclose(loaded);
    }
    dlerror();  // The program must not find an error of ours.
  }
  if (found != nullptr) address_.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace prof::collectors
