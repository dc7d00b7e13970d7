// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the unwind table of a return address. GCC's unwinder, which is linked in, calls
// _dl_find_object(); glibc has that since 2.35, and a program that needs it does not start with an
// older one. This function finds the table with dl_iterate_phdr(), as earlier unwinders did: it is
// slower, but called for exceptions alone. Hidden: only the library or program that it is linked
// into uses it.
#include <dlfcn.h>
#include <link.h>

#include <cstddef>

#if __GLIBC_PREREQ(2, 35)

namespace {

struct Search {
  ElfW(Addr) address;
  dl_find_object* found;
};

int look_into(dl_phdr_info* object, std::size_t, void* data) noexcept {
  auto& search = *static_cast<Search*>(data);
  const ElfW(Phdr)* table = nullptr;
  bool is_inside = false;
  ElfW(Addr) begin = ~ElfW(Addr){0}, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_GNU_EH_FRAME) table = &part;
    if (part.p_type != PT_LOAD) continue;
    const ElfW(Addr) from = object->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
    is_inside = is_inside || (search.address >= from && search.address < to);
    begin = from < begin ? from : begin;
    end = to > end ? to : end;
  }
  if (!is_inside) return 0;
  if (table == nullptr) return -1;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(begin);
  search.found->dlfo_map_end = reinterpret_cast<void*>(end);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + table->p_vaddr);
  return 1;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(
    void* address, dl_find_object* found) noexcept {
  Search search{reinterpret_cast<ElfW(Addr)>(address), found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

#endif
