// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include <csignal>
#include <limits>
#include <set>

#include "libprof/source/stream_reader.hpp"
#include "libprof/source/stream_writer.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/recording_sink.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

template <typename Record, auto Field>
std::string_view numbers(const Record& record, Numbers<Field>) {
  return record.*Field;
}

class RoundTripTest : public testing::Test {
 protected:
  template <typename Feed>
  void write(Feed feed) {
    auto writer = StreamWriter::create(path_);
    ASSERT_TRUE(writer.ok()) << writer.error().to_line();
    feed(**writer);
    EXPECT_TRUE((*writer)->status().ok());
  }

  ReplayStats read(RecordingSink& sink) {
    const auto stats = replay(path_, sink);
    EXPECT_TRUE(stats.ok()) << stats.error().to_line();
    return stats.ok() ? *stats : ReplayStats{};
  }

  TempFolder folder_;
  std::string path_ = folder_.path("stream.jsonl");
};

TEST_F(RoundTripTest, EveryFieldOfEveryRecord) {
  RecordingSink expected, found;
  feed_full_records(expected);
  write([](RecordSink& sink) { feed_full_records(sink); });
  const ReplayStats stats = read(found);
  EXPECT_EQ(stats.records, expected.records.size());
  EXPECT_FALSE(stats.truncated);
  EXPECT_EQ(found.commits, 1);
  ASSERT_EQ(found.records.size(), expected.records.size());
  std::set<std::size_t> kinds;
  for (std::size_t i = 0; i < expected.records.size(); ++i) {
    EXPECT_TRUE(found.records[i] == expected.records[i]) << "record " << i;
    kinds.insert(expected.records[i].index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<AnyRecord>) << "full_records.hpp lacks a kind";
}

// Guards full_records.hpp: a field that it leaves at its default would not be tested at all.
TEST_F(RoundTripTest, TheSampleSetsEveryField) {
  RecordingSink sink;
  feed_full_records(sink);
  std::set<std::string> words;
  for (const AnyRecord& any : sink.records) {
    std::visit(
        [&words]<typename Record>(const Record& record) {
          const Record defaults{};
          RecordKind<Record>::fields([&](std::string_view name, auto field) {
            bool set = false;
            if constexpr (requires { record.*field; }) {
              set = !(record.*field == defaults.*field);
            } else {
              set = !numbers(record, field).empty();
            }
            if (set) words.insert(std::string(RecordKind<Record>::kWord) + "." + std::string(name));
          });
        },
        any);
  }
  std::set<std::string> all;
#define PROF_NAMES(Record)                                                        \
  RecordKind<Record>::fields([&all](std::string_view name, auto) {                \
    all.insert(std::string(RecordKind<Record>::kWord) + "." + std::string(name)); \
  });
  PROF_ALL_RECORDS(PROF_NAMES)
#undef PROF_NAMES
  EXPECT_EQ(words, all);
}

TEST_F(RoundTripTest, DefaultsAndExtremes) {
  RecordingSink expected, found;
  const auto feed = [](RecordSink& sink) {
    sink.on(KernelRecord{});
    sink.on(RangeRecord{});
    sink.on(StringRecord{});
    KernelRecord kernel;
    kernel.correlation = std::numeric_limits<std::uint64_t>::max();
    kernel.start_ns = std::numeric_limits<std::int64_t>::min();
    kernel.end_ns = std::numeric_limits<std::int64_t>::max();
    kernel.grid = {0xffffffff, 0, 1};
    kernel.origin = static_cast<Origin>(200);  // A word of a later version.
    sink.on(kernel);
    ApiRecord api;
    api.status = std::numeric_limits<std::int32_t>::min();
    sink.on(api);
  };
  feed(expected);
  write(feed);
  read(found);
  EXPECT_TRUE(found.records == expected.records);
}

TEST_F(RoundTripTest, TextsOfAnyBytes) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  std::string ascii;
  for (int i = 0; i < 128; ++i) ascii.push_back(static_cast<char>(i));
  RecordingSink found;
  write([&](RecordSink& sink) {
    sink.on(StringRecord{StringId{1}, all});
    sink.on(StringRecord{StringId{2}, ascii});
    sink.on(StringRecord{StringId{3}, "\xe2\x82\xac"});
  });
  read(found);
  ASSERT_EQ(found.records.size(), 3u);
  EXPECT_EQ(std::get<StringRecord>(found.records[0]).text, all);
  EXPECT_EQ(std::get<StringRecord>(found.records[1]).text, ascii);
  EXPECT_EQ(std::get<StringRecord>(found.records[2]).text, "\xe2\x82\xac");
}

TEST_F(RoundTripTest, ReadsGzip) {
  RecordingSink expected, found;
  feed_full_records(expected);
  write([](RecordSink& sink) { feed_full_records(sink); });
  const std::string text = read_file(path_);
  const gzFile file = gzopen(path_.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_LT(read_file(path_).size(), text.size());
  read(found);
  EXPECT_TRUE(found.records == expected.records);
}

TEST_F(RoundTripTest, WritesThroughManyBuffers) {
  RecordingSink found;
  write([](RecordSink& sink) {
    for (std::uint64_t i = 1; i <= 20'000; ++i) {
      ApiRecord api;
      api.correlation = i;
      sink.on(api);
    }
  });
  EXPECT_EQ(read(found).records, 20'000u);
  EXPECT_EQ(std::get<ApiRecord>(found.records.back()).correlation, 20'000u);
}

TEST_F(RoundTripTest, CommitMakesItReadable) {
  auto writer = StreamWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  (*writer)->on(MetaRecord{"key", "value"});
  (*writer)->commit();
  RecordingSink found;
  EXPECT_EQ(read(found).records, 1u);
}

TEST_F(RoundTripTest, FileIsPrivateAndNotOverwritten) {
  write([](RecordSink&) {});
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_FALSE(StreamWriter::create(path_).ok());
  EXPECT_TRUE(StreamWriter::create(path_, Existing::kReplace).ok());
}

TEST_F(RoundTripTest, AFullDiskIsToldAndCounted) {
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = StreamWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  (*writer)->on(MetaRecord{"kept", "yes"});
  (*writer)->commit();
  const struct rlimit full { read_file(path_).size() + 10, before.rlim_max };
  setrlimit(RLIMIT_FSIZE, &full);
  (*writer)->on(MetaRecord{"lost", "yes"});
  (*writer)->commit();
  (*writer)->on(MetaRecord{"lost", "too"});
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE((*writer)->status().ok());
  EXPECT_NE((*writer)->status().error().to_line().find(path_), std::string::npos);
  EXPECT_EQ((*writer)->lost_records(), 2u);
  writer->reset();
  RecordingSink found;
  const ReplayStats stats = read(found);
  EXPECT_EQ(stats.records, 1u);
  EXPECT_TRUE(stats.truncated);
}

}  // namespace
}  // namespace prof
