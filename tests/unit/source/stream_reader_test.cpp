// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/stream_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>

#include "libprof/source/stream_writer.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/recording_sink.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

const std::string kHeader = "{\"format\":\"prof-stream\",\"version\":1}\n";

class StreamReaderTest : public testing::Test {
 protected:
  Result<ReplayStats> read(const std::string& content) {
    write_file(path_, content);
    sink_.records.clear();
    return replay(path_, sink_);
  }
  std::string problem(const std::string& content) {
    const auto stats = read(content);
    return stats.ok() ? "" : stats.error().to_line().substr(path_.size());
  }

  TempFolder folder_;
  std::string path_ = folder_.path("s");
  RecordingSink sink_;
};

TEST_F(StreamReaderTest, ErrorsNameFileAndLine) {
  EXPECT_EQ(problem(kHeader + "{\"record\":\"api\"}\n{\"record\":\"api\",\"depth\":-1}\n"),
            ":3: field \"depth\" is too small");
  EXPECT_EQ(sink_.records.size(), 1u) << "what came before is kept";
  EXPECT_EQ(problem(kHeader + "{\"record\":\"api\",\"depth\":4294967296}\n"),
            ":2: field \"depth\" is too large");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"api\",\"depth\":\"x\"}\n"),
            ":2: field \"depth\" is not a whole number");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"api\",\"domain\":\"x\"}\n"),
            ":2: field \"domain\" has an unknown word");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"kernel\",\"grid\":[1,2]}\n"),
            ":2: field \"grid\" is not an array of three");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"kernel\",\"cooperative\":1}\n"),
            ":2: field \"cooperative\" is not true or false");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"string\",\"text_base64\":\"!\"}\n"),
            ":2: field \"text\" is not base64");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"range\",\"numbers\":[-1]}\n"),
            ":2: field \"numbers\" holds something other than whole numbers");
  EXPECT_EQ(problem(kHeader + "{\"record\":5}\n"), ":2: has no \"record\"");
  EXPECT_EQ(problem(kHeader + "nonsense\n{}\n"), ":2: is not a JSON object");
}

TEST_F(StreamReaderTest, WhatNoRecordNeedsIsRefusedBeforeItIsParsed) {
  EXPECT_EQ(problem(kHeader + std::string(8u << 20, '[') + "\n"),
            ":2: is nested more than 64 deep, unlike any record");
  std::string wide = "{\"record\":\"range\",\"numbers\":[0";
  for (int i = 0; i < 1'000'001; ++i) wide += ",0";
  EXPECT_EQ(problem(kHeader + wide + "]}\n"),
            ":2: holds more than 1,000,000 values, unlike any record");
  EXPECT_EQ(problem(kHeader + "{\"record\":\"string\",\"text\":\"" + std::string(5000, '[') +
                    "\\\"" + std::string(100, '{') + "\"}\n"),
            "")
      << "brackets in a text are no nesting";
  EXPECT_EQ(problem(kHeader + "{\"record\":\"string\",\"text\":\"" + std::string(17u << 20, 'a') +
                    "\"}\n"),
            ": line 2 is longer than 16 MiB");
}

TEST_F(StreamReaderTest, MillionsOfEmptyLinesTakeNoTime) {
  const auto stats = read(kHeader + std::string(5'000'000, '\n') + "{\"record\":\"api\"}\n");
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->records, 1u);
}

TEST_F(StreamReaderTest, AFileThatExpandsBeyondMeasureIsRefused) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzwrite(file, kHeader.data(), static_cast<unsigned>(kHeader.size()));
  const std::string empty_lines(1u << 20, '\n');
  for (int i = 0; i < 80; ++i) {
    gzwrite(file, empty_lines.data(), static_cast<unsigned>(empty_lines.size()));
  }
  gzclose(file);
  const auto stats = replay(path_, sink_);
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(stats.error().what,
            "expands to more than 250 times its size: no capture writes such a file");
}

TEST_F(StreamReaderTest, TellsWhatIsNoStream) {
  EXPECT_EQ(problem(""), ": is empty, not a record stream");
  EXPECT_EQ(problem("hello\n"), ": is not a record stream");
  EXPECT_EQ(problem("{}\n"), ": is not a record stream");
  EXPECT_EQ(problem("[1]"), ": is not a record stream");
  EXPECT_EQ(problem("{\"format\":\"prof-stream\",\"version\":2}\n"),
            ": is a record stream of version 2, this program reads version 1");
  EXPECT_FALSE(replay(folder_.path("missing"), sink_).ok());
  EXPECT_FALSE(replay(folder_.path(), sink_).ok());
}

TEST_F(StreamReaderTest, ACutLastLineIsReportedAndTheRestKept) {
  const auto stats = read(kHeader + "{\"record\":\"api\"}\n{\"record\":\"ke");
  ASSERT_TRUE(stats.ok()) << stats.error().to_line();
  EXPECT_TRUE(stats->truncated);
  EXPECT_EQ(stats->records, 1u);
  EXPECT_EQ(sink_.commits, 1);
}

TEST_F(StreamReaderTest, AWholeLastLineNeedsNoEnd) {
  const auto stats = read(kHeader + "{\"record\":\"api\"}");
  ASSERT_TRUE(stats.ok());
  EXPECT_FALSE(stats->truncated);
  EXPECT_EQ(stats->records, 1u);
}

TEST_F(StreamReaderTest, CutGzipIsReportedAndTheRestKept) {
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzputs(file, kHeader.c_str());
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    const auto line = "{\"record\":\"api\",\"correlation\":" + std::to_string(random()) + "}\n";
    gzputs(file, line.c_str());
  }
  gzclose(file);
  const std::string whole = read_file(path_);
  const auto stats = read(whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(stats.ok()) << stats.error().to_line();
  EXPECT_TRUE(stats->truncated);
  EXPECT_GT(stats->records, 100u);
  EXPECT_LT(stats->records, 5000u);
}

TEST_F(StreamReaderTest, UnknownKindsAndFieldsAreCountedAndPassedOver) {
  const auto stats =
      read(kHeader + "{\"record\":\"future\",\"x\":1}\n{\"record\":\"api\",\"new\":[]}\n");
  ASSERT_TRUE(stats.ok());
  EXPECT_EQ(stats->unknown_records, 1u);
  EXPECT_EQ(stats->records, 1u);
  ASSERT_EQ(sink_.records.size(), 2u);
  const auto& loss = std::get<LossRecord>(sink_.records.back());
  EXPECT_EQ(loss.what, "unknown_record");
  EXPECT_EQ(loss.count, 1u);
}

TEST_F(StreamReaderTest, TheSinksErrorEndsIt) {
  sink_.result = Error{"disk full", "", ""};
  const auto stats = read(kHeader + "{\"record\":\"api\"}\n{\"record\":\"api\"}\n");
  ASSERT_FALSE(stats.ok());
  EXPECT_EQ(stats.error().what, "disk full");
  EXPECT_EQ(sink_.records.size(), 1u);
}

TEST_F(StreamReaderTest, DamageNeverCrashes) {
  auto writer = StreamWriter::create(folder_.path("whole"));
  ASSERT_TRUE(writer.ok());
  feed_full_records(**writer);
  writer->reset();
  const std::string whole = read_file(folder_.path("whole"));
  std::mt19937 random(7);
  int failed = 0;
  for (int round = 0; round < 400; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    if (round % 4 == 0) damaged.resize(random() % damaged.size());
    failed += read(damaged).ok() ? 0 : 1;
  }
  EXPECT_GT(failed, 0);
}

TEST_F(StreamReaderTest, KnowsAStreamByItsStart) {
  EXPECT_TRUE(is_record_stream(kHeader + "rest"));
  EXPECT_FALSE(is_record_stream("{\"format\":\"other\"}\n"));
  EXPECT_FALSE(is_record_stream(""));
  EXPECT_FALSE(is_record_stream("\x1f\x8b"));
}

}  // namespace
}  // namespace prof
