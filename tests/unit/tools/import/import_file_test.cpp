// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An import changes the file that it is to make only when it succeeds, and leaves nothing beside
// it.
#include "tools/import/import_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "libprof/store/read/trace_reader.hpp"
#include "tests/support/own_files.hpp"
#include "tests/support/row_cursors.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof::importers {
namespace {

namespace fs = std::filesystem;

const std::string kHeader = "{\"format\":\"prof-stream\",\"version\":1}\n";
const std::string kGood =
    kHeader + "{\"record\":\"kernel\",\"correlation\":1,\"start_ns\":5,\"end_ns\":9}\n";
const std::string kBad = kGood + "nonsense\n{}\n";

const std::string kOldTrace = start_of_trace();
const std::string kOldJournal = start_of_journal();

class ImportFile : public testing::Test {
 protected:
  std::string import(const std::string& content, const std::string& output, bool force = true) {
    if (!content.empty()) write_file(input_, content);
    const auto imported = import_file({input_, output, force});
    if (!imported) return imported.error().to_line();
    return imported->warnings.empty() ? "" : imported->warnings.front();
  }

  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      found[entry.path().filename()] = entry.is_regular_file() ? read_file(entry.path()) : "";
    }
    return found;
  }

  TempFolder folder_;
  std::string input_ = folder_.path("in.jsonl");
  std::string output_ = folder_.path("t.db");
};

TEST_F(ImportFile, MakesATraceAndNothingElse) {
  EXPECT_EQ(import(kGood, output_, false), "");
  EXPECT_EQ(files().size(), 2u);
  const auto reader = TraceReader::open(output_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(count_rows((*reader)->gpu_work(TraceReader::Work::kKernels)), 1u);
  struct stat info {};
  ASSERT_EQ(stat(output_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ImportFile, SaysWhatItWroteAndWhyThereIsNoWork) {
  const std::string range =
      "{\"record\":\"range\",\"id\":4096,\"thread\":1,\"start_ns\":1,\"end_ns\":2}\n";
  const std::string loss = "{\"record\":\"loss\",\"what\":\"other_table\",\"count\":2}\n";
  write_file(input_, kGood + range + range + loss);
  const auto imported = import_file({input_, output_, true});
  ASSERT_TRUE(imported.ok());
  EXPECT_TRUE(imported->warnings.empty());
  EXPECT_EQ(
      imported->written,
      std::vector<std::string>{
          output_ + ": 1 kernel, 2 ranges; 2 rows of a table that prof-import does not read"});
  EXPECT_EQ(import(kHeader + range, output_),
            input_ +
                ": has no GPU work: the program launched none while it was recorded, or CUDA was"
                " not recorded");
}

TEST_F(ImportFile, ItsInputStaysWhateverTheOutputIsCalled) {
  write_file(input_, kGood);
  fs::create_hard_link(input_, folder_.path("hard"));
  fs::create_symlink(input_, folder_.path("soft"));
  const auto before = files();
  for (const std::string& name :
       {input_, folder_.path() + "/./in.jsonl", folder_.path("hard"), folder_.path("soft")}) {
    EXPECT_EQ(import("", name), name + ": is the input file itself; name another output file");
    EXPECT_EQ(files(), before);
  }
}

TEST_F(ImportFile, TheOldTraceStaysWhereTheNewOneFails) {
  write_file(output_, kOldTrace);
  write_file(output_ + "-journal", kOldJournal);
  write_file(input_, kBad);
  const auto before = files();
  EXPECT_EQ(import(kBad, output_), input_ + ":3: is not a JSON object");
  EXPECT_EQ(files(), before);
}

TEST_F(ImportFile, TheOldJournalGoesWithTheOldTrace) {
  write_file(output_, kOldTrace);
  write_file(output_ + "-journal", kOldJournal);
  EXPECT_EQ(import(kGood, output_), "");
  EXPECT_EQ(files().size(), 2u);
  EXPECT_TRUE(TraceReader::open(output_).ok());
}

TEST_F(ImportFile, WhatExistsIsReplacedOnlyWhenAsked) {
  write_file(output_, kOldTrace);
  EXPECT_EQ(import(kGood, output_, false),
            output_ + ": exists already; name another output file, or use --force");
  EXPECT_EQ(read_file(output_), kOldTrace);
  fs::create_directory(folder_.path("d"));
  EXPECT_EQ(import(kGood, folder_.path("d")),
            folder_.path("d") + ": exists and is not a regular file; name another output file");
  EXPECT_EQ(files().size(), 3u);
}

TEST_F(ImportFile, ATraceThatIsBeingWrittenIsNotReplaced) {
  write_file(output_, kOldTrace);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const int descriptor = open(output_.c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;
    lock.l_len = 512;
    if (fcntl(descriptor, F_SETLK, &lock) == 0 && write(ready[1], "y", 1) == 1) pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(import(kGood, output_), output_ + ": is being written by process " +
                                        std::to_string(writer) +
                                        "; wait for it to finish, or name another output file");
  EXPECT_EQ(read_file(output_), kOldTrace);
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
}

int g_waits_at = -1;  // a descriptor
/// Blocks in the middle of an import for ever.
constexpr Importer kWaiting = {.name = "waiting",
                               .help = "",
                               .sniff = [](std::string_view) { return true; },
                               .read = [](const Source&, RecordSink& sink) -> Result<Imported> {
                                 sink.commit();
                                 if (write(g_waits_at, "y", 1) == 1) pause();
                                 return Imported{};
                               }};

TEST_F(ImportFile, AnInterruptedImportLeavesNothing) {
  write_file(input_, kGood);
  write_file(output_, kOldTrace);
  const auto before = files();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    g_waits_at = ready[1];
    static_cast<void>(import_file({input_, output_, true}, {&kWaiting, 1}));
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(files().size(), before.size() + 1);
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  EXPECT_EQ(files(), before);
}

TEST_F(ImportFile, AnInputThatIsNoFileIsRefused) {
  ASSERT_EQ(mkfifo(input_.c_str(), 0600), 0);
  EXPECT_EQ(import("", output_), input_ + ": is not a regular file; name a file to import");
}

TEST_F(ImportFile, JunkGivesOneLineAndNoFile) {
  const auto zipped = [this](std::string_view content) {
    const std::string path = folder_.path("zipped");
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    std::string bytes = read_file(path);
    fs::remove(path);
    return bytes;
  };
  const std::string list = "; prof-import --help lists what it reads";
  const std::string json =
      "looks like JSON, but is neither a trace of torch.profiler nor a record stream" + list;
  const std::string no_content = "is gzip data without content, or cut off; copy it again";
  const std::pair<std::string, std::string> cases[] = {
      {"some text\n", "unrecognized format" + list},
      {"42", "unrecognized format" + list},
      {"{}", json},
      {" [\n]", "has no events; name a trace that torch.profiler exported"},
      {R"([{"ph":"X","ts":1}])",
       "has 1 event, but none of torch.profiler; kinds unknown to this version: none (1); name a "
       "trace that torch.profiler exported"},
      {R"({"nodes":[1,2]})", json},
      {"\n<!DOCTYPE HTML><html>",
       "is a web page, not a trace; download the file that it shows or links to"},
      {zipped("some text"), "unrecognized format" + list},
      {zipped("{}"), json},
      {zipped(kGood).substr(0, 12), no_content},
      {zipped(kGood).substr(0, 5), no_content},
      {zipped(""), no_content},
      {"\x1f\x8b neither", "is gzip data that is cut off or damaged; copy it again"},
      {R"({"traceEvents":[]})", "has no events; name a trace that torch.profiler exported"},
      {R"({"traceEvents":[{"ph":"X","cat":"task","name":"a","ts":1,"dur":2}]})",
       "has 1 event, but none of torch.profiler; kinds unknown to this version: task (1); name a "
       "trace that torch.profiler exported"},
  };
  for (const auto& [content, line] : cases) {
    EXPECT_EQ(import(content, output_), input_ + ": " + line) << content;
    EXPECT_EQ(files().size(), 1u) << content;
  }
  write_file(input_, "");
  EXPECT_EQ(import("", output_), input_ + ": is empty; name a file to import");
  EXPECT_EQ(files().size(), 1u);
}

}  // namespace
}  // namespace prof::importers
