// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/safe_read.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace prof::collectors {
namespace {

constexpr std::uintptr_t kPage = 4096;

bool page_is_readable(std::uintptr_t address) noexcept {
  char byte = 0;
  iovec local{&byte, 1};
  iovec remote{reinterpret_cast<void*>(address), 1};
  const int saved_errno = errno;
  const ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  // If a sandbox forbids the query, the schema has to be trusted.
  const bool readable = got == 1 || errno == EPERM || errno == ENOSYS;
  errno = saved_errno;
  return readable;
}

}  // namespace

std::size_t readable_bytes(const void* address, std::size_t limit,
                           std::size_t until_zero) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (begin == 0 || (until_zero > 1 && begin % until_zero != 0)) return 0;
  if (limit > UINTPTR_MAX - begin) limit = UINTPTR_MAX - begin;
  std::size_t readable = 0;
  while (readable < limit) {
    const std::uintptr_t at = begin + readable;
    if (!page_is_readable(at)) break;
    const std::size_t in_page = std::min<std::size_t>(limit - readable, kPage - at % kPage);
    const char* bytes = static_cast<const char*>(address) + readable;
    if (until_zero != 0) {
      for (std::size_t i = 0; i + until_zero <= in_page; i += until_zero) {
        constexpr char kZeros[4] = {};
        if (std::memcmp(bytes + i, kZeros, until_zero) == 0) return readable + i + until_zero;
      }
    }
    readable += in_page;
  }
  return readable;
}

}  // namespace prof::collectors
