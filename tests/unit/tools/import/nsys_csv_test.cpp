// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the lines of nsys's table, in the forms of its versions, and of damaged ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/source/recording_sink.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tools/import/nsys_csv/csv_line.hpp"
#include "tools/import/registry.hpp"

namespace prof::importers::nsys_csv {
namespace {

const std::string kHeading =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n";
const std::string kKernel =
    "100,40,7,4,2,1,128,1,1,32,0.048,0.000,,,,,NVIDIA H200 (1),3,,13,\"void k<1, 2>(int)\"\n";
const std::string kCopy =
    "300,10,8,,,,,,,,,,0.004,400.0,Pinned,Device,NVIDIA H200 (0),3,,7,[CUDA memcpy HtoD]\n";

class NsysCsv : public testing::Test {
 protected:
  /// The warning or the error, without the file's name.
  std::string import_text(const std::string& text) {
    write_file(path_, text);
    const auto known = formats();
    const auto importer = std::ranges::find(known, "nsys_csv", &Importer::name);
    if (!importer->sniff(text.substr(0, 4096))) return "not recognized";
    const auto imported = importer->read({path_, folder_.path()}, sink_);
    std::string line = imported ? imported->warning : imported.error().to_line();
    if (line.starts_with(path_)) line.erase(0, path_.size() + 2);
    return line;
  }
  template <typename Record>
  [[nodiscard]] std::vector<Record> all() const {
    return sink_.all<Record>();
  }
  [[nodiscard]] std::string text(StringId id) const { return sink_.text(id); }
  [[nodiscard]] std::map<std::string, std::uint64_t> losses() const {
    std::map<std::string, std::uint64_t> found;
    for (const auto& loss : all<LossRecord>()) found[std::string(loss.what)] = loss.count;
    return found;
  }
  [[nodiscard]] bool ended() const {
    const auto metas = all<MetaRecord>();
    return std::ranges::find(metas, "ended", &MetaRecord::key) != metas.end();
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.csv");
  RecordingSink sink_;
};

TEST_F(NsysCsv, AKernelHasAllThatItsLineStates) {
  EXPECT_EQ(import_text(kHeading + kKernel), "");
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  const KernelRecord& kernel = kernels[0];
  EXPECT_EQ(text(kernel.name), "void k<1, 2>(int)");
  EXPECT_EQ(kernel.start_ns, 100);
  EXPECT_EQ(kernel.end_ns, 140);
  EXPECT_EQ(kernel.correlation, 7u);
  EXPECT_EQ(kernel.grid, (Dim3{4, 2, 1}));
  EXPECT_EQ(kernel.block, (Dim3{128, 1, 1}));
  EXPECT_EQ(kernel.registers_per_thread, 32u);
  EXPECT_EQ(kernel.static_shared_bytes, 48'000u);
  EXPECT_EQ(kernel.dynamic_shared_bytes, 0u);
  EXPECT_EQ(kernel.device, 1u);
  EXPECT_EQ(kernel.context, 3u);
  EXPECT_EQ(kernel.stream, 13u);
  const auto devices = all<DeviceRecord>();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].device, 1u);
  EXPECT_EQ(devices[0].name, "NVIDIA H200");
  EXPECT_EQ(losses()["rounded_size"], 2u);
  EXPECT_TRUE(ended());
}

TEST_F(NsysCsv, CopiesAndSetsHaveTheirMemories) {
  EXPECT_EQ(
      import_text(kHeading + kCopy +
                  "400,10,9,,,,,,,,,,1.5,1,Device,Pageable,NVIDIA H200 (0),3,,7,"
                  "[CUDA memcpy Device-to-Host]\n"
                  "500,10,,,,,,,,,,,0.065536,1,Managed,Device,NVIDIA H200 (0),3,,7,"
                  "[CUDA memcpy Unified Host-to-Device]\n"
                  "600,10,11,,,,,,,,,,0.000004,1,,Device,NVIDIA H200 (0),3,,7,[CUDA memset]\n"),
      "");
  const auto copies = all<MemcpyRecord>();
  ASSERT_EQ(copies.size(), 3u);
  const auto at = [&](std::int64_t start_ns) {
    return *std::ranges::find(copies, start_ns, &MemcpyRecord::start_ns);
  };
  EXPECT_EQ(at(300).copy_kind, 1);
  EXPECT_EQ(at(300).source, MemoryKind::kPinned);
  EXPECT_EQ(at(300).destination, MemoryKind::kDevice);
  EXPECT_EQ(at(300).bytes, 4000u);
  EXPECT_EQ(at(400).copy_kind, 2);
  EXPECT_EQ(at(400).bytes, 1'500'000u);
  EXPECT_EQ(at(500).copy_kind, 11) << "a migration of unified memory";
  EXPECT_EQ(at(500).bytes, 65'536u);
  const auto sets = all<MemsetRecord>();
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].memory, MemoryKind::kDevice);
  EXPECT_EQ(sets[0].bytes, 4u);
  EXPECT_EQ(losses()["rounded_size"], 2u) << "more digits are exact";
}

TEST_F(NsysCsv, VersionsDifferInColumnsAndUnits) {
  EXPECT_EQ(import_text("Start (us),Duration (ms),CorrID,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,"
                        "StcSMem (KiB),DynSMem (byte),Bytes (B),Device,Ctx,Strm,Name\r\n"
                        "1.5,0.002,7,1,1,1,32,1,1,16,2,512,,NVIDIA A100 (0),1,7,k\r\n"),
            "");
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].start_ns, 1500);
  EXPECT_EQ(kernels[0].end_ns, 3500);
  EXPECT_EQ(kernels[0].static_shared_bytes, 2048u);
  EXPECT_EQ(kernels[0].dynamic_shared_bytes, 512u);
  EXPECT_EQ(text(kernels[0].name), "k");
  EXPECT_EQ(losses().count("rounded_size"), 0u);
}

TEST_F(NsysCsv, WhatStandsAroundTheTableIsNotOfIt) {
  EXPECT_EQ(import_text("Processing [a.sqlite] with [cuda_gpu_trace.py]...\n\n" + kHeading +
                        kKernel + "\nProcessing [a.sqlite] with [cuda_gpu_sum.py]...\n" + kKernel),
            "");
  EXPECT_EQ(all<KernelRecord>().size(), 1u);
  EXPECT_EQ(losses()["other_table"], 2u);
}

TEST_F(NsysCsv, DamagedLinesAreLeftOutAndCounted) {
  EXPECT_EQ(
      import_text(kHeading + kKernel + "x,1,1\n" + "\"unended\n" +
                  "later,40,7,1,1,1,1,1,1,1,0,0,,,,,GPU (0),3,,13,k\n" +
                  "100,-40,7,1,1,1,1,1,1,1,0,0,,,,,GPU (0),3,,13,k\n" + kCopy),
      "1 row of cuda_gpu_trace of a negative duration, left out; 1 row of cuda_gpu_trace with "
      "a quote that does not end, left out; 1 row of cuda_gpu_trace with another number of "
      "fields than the heading, left out; 1 row of cuda_gpu_trace without a time, left out "
      "(the first in line 3)");
  EXPECT_EQ(all<KernelRecord>().size(), 1u);
  EXPECT_EQ(all<MemcpyRecord>().size(), 1u);
  EXPECT_EQ(losses()["damaged_event"], 4u);
}

TEST_F(NsysCsv, DamagedValuesAreUnknown) {
  EXPECT_EQ(import_text(kHeading + "100,40,7,4,2,1,128,1,1,99999999999,0,-1,,,,,GPU0,3,,13,k\n"),
            "2 rows of cuda_gpu_trace with a value that is no number, kept without it; 1 row of "
            "cuda_gpu_trace without the number of its GPU, taken as that of GPU 0 (the first in "
            "line 2)");
  const auto kernels = all<KernelRecord>();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].registers_per_thread, 0u);
  EXPECT_EQ(kernels[0].dynamic_shared_bytes, 0u);
}

TEST_F(NsysCsv, AFileThatIsCutOffIsImportedUpToThere) {
  EXPECT_EQ(import_text(kHeading + kKernel + "300,10,8,,"),
            "is cut off; everything before the cut was imported");
  EXPECT_EQ(all<KernelRecord>().size(), 1u);
  EXPECT_FALSE(ended()) << "the capture counts as killed";
}

TEST_F(NsysCsv, AFileWithoutWorkIsRefused) {
  EXPECT_EQ(import_text(kHeading),
            "has no kernels, copies or sets; record with nsys profile --trace=cuda");
  EXPECT_EQ(import_text(kHeading + "x\n"),
            "has no row that can be imported: 1 row of cuda_gpu_trace with another number of "
            "fields than the heading, left out");
}

TEST_F(NsysCsv, OtherTablesAreNotTakenForIt) {
  EXPECT_EQ(import_text("Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid\n"), "not recognized");
  EXPECT_EQ(import_text("Start (weeks)" + kHeading.substr(kHeading.find(',')) + kKernel),
            "not recognized");
}

TEST(CsvLine, QuotesHoldCommasAndQuotes) {
  const auto fields = [](std::string_view text) {
    CsvLine line;
    std::string all;
    if (!line.split(text)) return std::string("unended");
    for (std::size_t i = 0; i < line.size(); ++i) all.append("<").append(line[i]).append(">");
    return all;
  };
  EXPECT_EQ(fields(""), "<>");
  EXPECT_EQ(fields("a,,b\r"), "<a><><b>");
  EXPECT_EQ(fields("\"a,b\",c"), "<a,b><c>");
  EXPECT_EQ(fields("\"say \"\"x\"\"\",\"\""), "<say \"x\"><>");
  EXPECT_EQ(fields("a\"b,c"), "<a\"b><c>");
  EXPECT_EQ(fields("\"a,b"), "unended");
  EXPECT_EQ(fields("\"a\"\""), "unended");
}

}  // namespace
}  // namespace prof::importers::nsys_csv
