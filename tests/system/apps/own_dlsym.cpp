// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A program with a dlsym of its own, as tools that watch their libraries have it: what it finds
// next is next after itself.
#include <dlfcn.h>
#include <unistd.h>

extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle,
                                                              const char* name) noexcept {
  using Find = void* (*)(void*, const char*);
  static const auto real = reinterpret_cast<Find>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  return real(handle, name);
}

int main() {
  usleep(10);
  return write(STDOUT_FILENO, "done\n", 5) == 5 ? 7 : 1;
}
