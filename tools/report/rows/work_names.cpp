// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/work_names.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "libprof/model/copy_words.hpp"

namespace prof::reports {
namespace {

/// A name for each kind of copy.
using CopyNames = std::array<std::string, kMigrations.back() + 1>;

std::string_view long_word(char end) {
  switch (end) {
    case 'H':
      return "Host";
    case 'D':
      return "Device";
    case 'A':
      return "Array";
    default:
      return "Peer";
  }
}

/// "Host-to-Device" of "HtoD".
std::string long_words(std::string_view word) {
  if (word.empty()) return {};
  return fmt::format("{}-to-{}", long_word(word.front()), long_word(word.back()));
}

/// "[memcpy HtoD]", and "[memcpy]" without a word.
std::string in_brackets(std::string_view memcpy, std::string_view word) {
  return fmt::format("[{}{}{}]", memcpy, word.empty() ? "" : " ", word);
}

/// `memcpy` and `migration` are what goes before the word.
CopyNames copy_names(std::string_view memcpy, std::string_view migration,
                     std::string (*words)(std::string_view)) {
  CopyNames names;
  std::uint8_t kind = 0;
  for (std::string& name : names) {
    name =
        in_brackets(is_migration(kind) ? migration : memcpy, words(kCopyWords[copy_place(kind)]));
    ++kind;
  }
  return names;
}

std::string as_it_is(std::string_view word) { return std::string(word); }

/// The first one is that of an unknown kind.
std::string_view name_of_kind(const CopyNames& names, std::uint8_t kind) {
  return names[kind < names.size() ? kind : 0];
}

/// "Device Static" of "device_static".
std::string torch_memory(MemoryKind memory) {
  std::string name(EnumWords<MemoryKind>::kWords[0]);
  if (const std::string_view known = memory_name(memory); !known.empty()) name = known;
  bool begins = true;
  for (char& c : name) {
    if (begins) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    begins = c == '_';
    if (begins) c = ' ';
  }
  return name;
}

}  // namespace

std::string_view short_name_of(const GpuRow& work) {
  static const CopyNames names = copy_names("memcpy", "memcpy unified", as_it_is);
  if (work.kind == GpuRow::Kind::kMemset) return "[memset]";
  return name_of_kind(names, work.copy_kind);
}

std::string_view nvprof_name_of(const GpuRow& work) {
  static const CopyNames names = copy_names("CUDA memcpy", "Unified Memory Memcpy", as_it_is);
  if (work.kind == GpuRow::Kind::kMemset) return "[CUDA memset]";
  return name_of_kind(names, work.copy_kind);
}

std::string_view nsys_name_of(const GpuRow& work) {
  static const CopyNames names = copy_names("CUDA memcpy", "CUDA memcpy Unified", long_words);
  if (work.kind == GpuRow::Kind::kMemset) return "[CUDA memset]";
  return name_of_kind(names, work.copy_kind);
}

std::string torch_name_of(const GpuRow& work) {
  const std::string to = torch_memory(work.destination);
  if (work.kind == GpuRow::Kind::kMemset) return fmt::format("Memset ({})", to);
  return fmt::format("Memcpy {} ({} -> {})", kCopyWords[copy_place(work.copy_kind)],
                     torch_memory(work.source), to);
}

std::string_view memory_name(MemoryKind memory) {
  const auto place = static_cast<std::size_t>(memory);
  const auto& words = EnumWords<MemoryKind>::kWords;
  return place > 0 && place < words.size() ? words[place] : std::string_view();
}

}  // namespace prof::reports
