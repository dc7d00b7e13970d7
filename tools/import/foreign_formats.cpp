// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/foreign_formats.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "libprof/base/ascii.hpp"

namespace prof::importers {
namespace {

struct Format {
  bool (*starts_so)(std::string_view start);
  std::string_view what;
  std::string_view instead;  ///< Advice on what to do instead.
};

std::string_view without_blanks(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  return start;
}

/// After blanks; a letter of `word`, which is small, stands for a capital, too.
bool begins_with(std::string_view start, std::string_view word) {
  start = without_blanks(start);
  return start.size() >= word.size() && std::ranges::equal(start.substr(0, word.size()), word, {},
                                                           [](char c) { return lower(c); });
}

bool has(std::string_view start, std::string_view words) {
  return start.find(words) != std::string_view::npos;
}

bool is_nsys_report(std::string_view start) {
  return start.starts_with("NVIDIA Tegra Profiler Report");
}

bool is_ncu_report(std::string_view start) {
  return start.starts_with(std::string_view("NVR\0", 4));
}

bool is_visual_profiler_session(std::string_view start) {
  return start.starts_with("<?xml") && has(start, "<session ") && has(start, " hscale=");
}

/// A protobuf number at the start, which is removed; null if there is none.
std::optional<std::uint64_t> take_number(std::string_view& bytes) {
  constexpr std::size_t kMostBytes = 5;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < std::min(kMostBytes, bytes.size()); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    number |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) != 0) continue;
    bytes.remove_prefix(i + 1);
    return number;
  }
  return std::nullopt;
}

/// Perfetto's trace is packets one after another, each a field 1 with its length.
bool is_perfetto(std::string_view start) {
  constexpr char kPacket = 0x0a;
  int packets = 0;
  while (!start.empty()) {
    if (start.front() != kPacket) return false;
    start.remove_prefix(1);
    const auto length = take_number(start);
    if (!length || *length == 0) return false;
    ++packets;
    if (*length > start.size()) break;
    start.remove_prefix(static_cast<std::size_t>(*length));
  }
  return packets > 1;
}

bool is_printout_of_nvprof(std::string_view start) {
  return has(start, "== NVPROF is profiling process") || has(start, "== Profiling result:") ||
         has(start, "== Profiling application:");
}

bool is_printout_of_nsys(std::string_view start) {
  constexpr std::string_view kWords[] = {
      "CUDA API Summary",        "CUDA GPU Kernel Summary",
      "CUDA GPU MemOps Summary", "CUDA API Statistics",
      "CUDA Kernel Statistics",  "NVTX Range Summary",
      "NVTX Range Statistics",   "NVTX Push-Pop Range Statistics",
      "OS Runtime Summary",      "Operating System Runtime API Statistics",
      "Executing 'nvtx_sum'",    "Executing 'cuda_api_sum'"};
  return std::ranges::any_of(kWords, [=](std::string_view words) { return has(start, words); });
}

/// The list of kernels, and the table made of it.
bool is_result_of_pyprof(std::string_view start) {
  return begins_with(start, "{'kshortname'") || has(start.substr(0, start.find('\n')), "Sil(ns)");
}

/// A stream of Arrow begins with a mark and the length of its schema.
bool is_arrow_stream(std::string_view start) {
  constexpr std::string_view kMark = "\xff\xff\xff\xff";
  return start.size() >= 8 && start.starts_with(kMark) && start[6] == 0 && start[7] == 0;
}

bool is_table_file(std::string_view start) {
  constexpr std::string_view kHdf5 = "\x89HDF\r\n";
  return start.starts_with("PAR1") || start.starts_with("ARROW1") || start.starts_with(kHdf5) ||
         is_arrow_stream(start);
}

bool is_web_page(std::string_view start) {
  return begins_with(start, "<!doctype html") || begins_with(start, "<html");
}

bool is_json(std::string_view start) { return begins_with(start, "{") || begins_with(start, "["); }

bool is_anything(std::string_view /*start*/) { return true; }

constexpr Format kFormats[] = {
    {is_nsys_report, "is a report of Nsight Systems",
     "run nsys export --type sqlite on it, and import the result"},
    {is_ncu_report,
     "is a report of Nsight Compute, which has counters of single kernels, not a trace",
     "read it with ncu --import; for a trace, record with prof-run or nsys profile"},
    {is_visual_profiler_session, "is a session of the Visual Profiler, which has no events",
     "import the file that nvprof -o wrote"},
    {is_perfetto, "is a trace of Perfetto", "import the file that it was made of"},
    {is_table_file, "is a table of Parquet, Arrow or HDF5",
     "of a report of Nsight Systems, import what nsys export --type sqlite makes"},
    {is_printout_of_nvprof, "is what nvprof printed",
     "record with nvprof -o FILE, and import FILE"},
    {is_printout_of_nsys, "is what nsys printed",
     "run nsys export --type sqlite on the report, and import the result"},
    {is_result_of_pyprof, "is what PyProf made of a trace", "import the file that it was made of"},
    {is_web_page, "is a web page, not a trace", "download the file that it shows or links to"},
    {is_json, "looks like JSON, but is neither a trace of torch.profiler nor a record stream",
     "prof-import --help lists what it reads"},
    {is_anything, "unrecognized format", "prof-import --help lists what it reads"},
};

}  // namespace

Error unrecognized(const std::string& path, std::string_view first_bytes) {
  const Format& format = *std::ranges::find_if(
      kFormats, [=](const Format& one) { return one.starts_so(first_bytes); });
  return {std::string(format.what), path, std::string(format.instead)};
}

}  // namespace prof::importers
