// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that are no traces are told by their content, whatever they are called.
#include "tools/import/foreign_formats.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace prof::importers {
namespace {

std::string line_of(std::string_view first_bytes) {
  return unrecognized("trace.json", first_bytes).to_line();
}

TEST(ForeignFormats, AreToldByTheirContent) {
  using namespace std::string_view_literals;
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"NVIDIA Tegra Profiler Report 2024@5@1@113.\n\x0b"
       "Local"sv,
       "is a report of Nsight Systems;"},
      {"NVR\0\2\0\0\0"sv, "is a report of Nsight Compute,"},
      {"<?xml version=\"1.0\"?>\n<session version=\"2\" name=\"n\" hscale=\"4.4E-6\">\n",
       "is a session of the Visual Profiler,"},
      {"==32142== NVPROF is profiling process 32142, command: ./a\n", "is what nvprof printed;"},
      {"sum: 4\n==7== Profiling result:\n", "is what nvprof printed;"},
      {" ** CUDA API Summary (cuda_api_sum):\n", "is what nsys printed;"},
      {"[3/8] Executing 'nvtx_sum' stats report\n", "is what nsys printed;"},
      {"{'kShortName': 'elementwise_kernel', 'kDuration': 3168}\n",
       "is what PyProf made of a trace;"},
      {"\"Kernel\",\"Module\",\"Op\",\"Direction\",\"Sil(ns)\"\n",
       "is what PyProf made of a trace;"},
      {"inferring\nGenerating '/tmp/n.qdstrm'\nNVTX Range Statistics:\n", "is what nsys printed;"},
      {"PAR1\x15\x04"sv, "is a table of Parquet, Arrow or HDF5;"},
      {"ARROW1\0\0"sv, "is a table of Parquet, Arrow or HDF5;"},
      {"\xff\xff\xff\xff\xb8\1\0\0\x10"sv, "is a table of Parquet, Arrow or HDF5;"},
      {"\x89HDF\r\n\x1a\n"sv, "is a table of Parquet, Arrow or HDF5;"},
      {"\xff\xff\xff\xff\xff\xff\xff\xff"sv, "unrecognized format;"},
      {"\n<HTML>", "is a web page,"},
      {" [1]", "looks like JSON,"},
      {"<?xml version=\"1.0\"?><svg/>", "unrecognized format;"},
      {"", "unrecognized format;"},
  };
  for (const auto& [bytes, begin] : cases) {
    EXPECT_TRUE(line_of(bytes).starts_with(std::string("trace.json: ").append(begin)))
        << line_of(bytes);
  }
}

/// A packet of Perfetto's: field 1, its length, that many bytes.
std::string packet(std::size_t bytes) {
  std::string text = "\n";
  for (std::size_t rest = bytes;; rest >>= 7) {
    text += static_cast<char>((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    if (rest <= 0x7f) break;
  }
  return text + std::string(bytes, 'x');
}

TEST(ForeignFormats, PerfettoIsAChainOfPackets) {
  const std::string perfetto =
      "trace.json: is a trace of Perfetto; import the file that it was made of";
  EXPECT_EQ(line_of(packet(20) + packet(300) + packet(5)), perfetto);
  EXPECT_EQ(line_of((packet(20) + packet(5000)).substr(0, 4096)), perfetto);
  EXPECT_NE(line_of(packet(20)), perfetto) << "one packet may be any text after an empty line";
  EXPECT_NE(line_of(packet(20) + "x" + packet(5)), perfetto);
  EXPECT_NE(line_of("\n\x80\x80\x80\x80\x80\x80\x01 text"), perfetto);
  EXPECT_NE(line_of(packet(20) + "\n"), perfetto);
}

}  // namespace
}  // namespace prof::importers
