// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/cuda_use.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/nvtx/nvtx_attach.hpp"

namespace prof::collectors {
namespace {

constexpr std::string_view kGpuCode = ".nv_fatbin";
/// Beyond these limits a file is damaged, or not worth the time.
constexpr std::size_t kMostSections = 10'000, kMostNameBytes = 1'000'000;

std::vector<std::string> loaded_files() {
  std::vector<std::string> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        const bool is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
        static_cast<std::vector<std::string>*>(to)->emplace_back(is_program ? "/proc/self/exe"
                                                                            : info->dlpi_name);
        return 0;
      },
      &files);
  return files;
}

bool read_fully(int file, std::uint64_t offset, void* to, std::size_t bytes) {
  return pread(file, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// Looks at the names of the file's sections; nothing else is read.
bool has_section(int file, std::string_view wanted) {
  ElfW(Ehdr) header{};
  if (!read_fully(file, 0, &header, sizeof header)) return false;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_shentsize != sizeof(ElfW(Shdr)) || header.e_shnum > kMostSections) return false;
  std::vector<ElfW(Shdr)> sections(header.e_shnum);
  if (header.e_shstrndx >= sections.size()) return false;
  if (!read_fully(file, header.e_shoff, sections.data(), sections.size() * sizeof sections[0])) {
    return false;
  }
  const ElfW(Shdr)& of_names = sections[header.e_shstrndx];
  if (of_names.sh_size > kMostNameBytes) return false;
  std::string names(of_names.sh_size, '\0');
  if (!read_fully(file, of_names.sh_offset, names.data(), names.size())) return false;
  return std::ranges::any_of(sections, [&](const ElfW(Shdr) & section) {
    return section.sh_name < names.size() && wanted == names.c_str() + section.sh_name;
  });
}

bool has_gpu_code(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool has = has_section(file, kGpuCode);
  close(file);
  return has;
}

}  // namespace

bool is_made_for_cuda() {
  if (nvtx_attached_modules() > 0) return true;
  return std::ranges::any_of(loaded_files(), [](const std::string& path) {
    return path.find("/libcudart.so") != std::string::npos || has_gpu_code(path);
  });
}

}  // namespace prof::collectors
