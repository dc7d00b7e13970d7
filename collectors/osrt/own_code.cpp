// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/osrt/own_code.hpp"

#include <link.h>

#include <algorithm>

namespace prof::collectors {
namespace {

constexpr char kHere = 0;

int visit(dl_phdr_info* object, std::size_t, void* found) {
  CodeRange range{UINTPTR_MAX, 0};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, begin + part.p_memsz);
  }
  if (!range.holds(&kHere)) return 0;
  *static_cast<CodeRange*>(found) = range;
  return 1;
}

}  // namespace

CodeRange own_code() noexcept {
  CodeRange range;
  dl_iterate_phdr(visit, &range);
  return range;
}

}  // namespace prof::collectors
