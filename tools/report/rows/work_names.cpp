// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/work_names.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "libprof/model/copy_words.hpp"

namespace prof::reports {
namespace {

/// A name for each kind of copy, by its place in kCopyWords.
using CopyNames = std::array<std::string, kCopyWords.size()>;

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

template <typename NameOf>
CopyNames copy_names(const NameOf& name_of) {
  CopyNames names;
  for (std::size_t kind = 0; kind < names.size(); ++kind) names[kind] = name_of(kCopyWords[kind]);
  return names;
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
  static const CopyNames names =
      copy_names([](std::string_view word) { return in_brackets("memcpy", word); });
  if (work.kind == GpuRow::Kind::kMemset) return "[memset]";
  return names[copy_place(work.copy_kind)];
}

std::string_view nvprof_name_of(const GpuRow& work) {
  static const CopyNames names =
      copy_names([](std::string_view word) { return in_brackets("CUDA memcpy", word); });
  if (work.kind == GpuRow::Kind::kMemset) return "[CUDA memset]";
  return names[copy_place(work.copy_kind)];
}

std::string_view nsys_name_of(const GpuRow& work) {
  static const CopyNames names = copy_names(
      [](std::string_view word) { return in_brackets("CUDA memcpy", long_words(word)); });
  if (work.kind == GpuRow::Kind::kMemset) return "[CUDA memset]";
  return names[copy_place(work.copy_kind)];
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
