// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded: a disk on which writes to traces fail or take long. BAD_DISK="FROM COUNT NS": of these
// writes, from the FROMth on, COUNT fail with EIO, and each of them all lasts NS longer.
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

bool is_trace(int descriptor) {
  char link[32], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t bytes = readlink(link, path, sizeof path);
  return bytes > 0 && std::string_view(path, static_cast<std::size_t>(bytes)).find(".db") !=
                          std::string_view::npos;
}

/// Whether this write is to fail.
bool fails(int descriptor) {
  static std::atomic<long> writes{0};
  const char* const how = std::getenv("BAD_DISK");
  long from = 0, count = 0, wait_ns = 0;
  if (how == nullptr || std::sscanf(how, "%ld %ld %ld", &from, &count, &wait_ns) != 3) return false;
  if (!is_trace(descriptor)) return false;
  const timespec pause{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
  if (wait_ns != 0) nanosleep(&pause, nullptr);
  const long number = ++writes;
  errno = EIO;
  return number >= from && number < from + count;
}

}  // namespace

#define PROF_EXPORT extern "C" __attribute__((visibility("default")))

PROF_EXPORT ssize_t pwrite64(int descriptor, const void* data, size_t bytes, off64_t offset) {
  static const auto next = reinterpret_cast<decltype(&pwrite64)>(dlsym(RTLD_NEXT, "pwrite64"));
  return fails(descriptor) ? -1 : next(descriptor, data, bytes, offset);
}

PROF_EXPORT ssize_t pwrite(int descriptor, const void* data, size_t bytes, off_t offset) {
  return pwrite64(descriptor, data, bytes, offset);
}

PROF_EXPORT ssize_t write(int descriptor, const void* data, size_t bytes) {
  static const auto next = reinterpret_cast<decltype(&write)>(dlsym(RTLD_NEXT, "write"));
  return fails(descriptor) ? -1 : next(descriptor, data, bytes);
}
