// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What TraceWriter stores, looked at by SQL as a person would.
#include "libprof/store/write/trace_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "libprof/store/schema/schema.hpp"
#include "libprof/store/schema/tables.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

class WriterTest : public testing::Test {
 protected:
  template <typename Feed>
  void write(Feed feed, const TraceWriterOptions& options = {}) {
    auto writer = TraceWriter::create(path_, options);
    ASSERT_TRUE(writer.ok()) << writer.error().to_line();
    feed(static_cast<RecordSink&>(**writer));
    (*writer)->commit();
    EXPECT_TRUE((*writer)->status().ok()) << (*writer)->status().error().to_line();
  }

  /// All rows, values joined by '|', rows by a space.
  std::string query(const std::string& sql, int columns) {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
    EXPECT_TRUE(db.ok());
    Result<Statement> rows = db->prepare(sql);
    if (!rows) return rows.error().to_line();
    std::string result;
    while (rows->step() == Statement::Step::kRow) {
      if (!result.empty()) result.push_back(' ');
      for (int i = 0; i < columns; ++i) {
        if (i != 0) result.push_back('|');
        result.append(rows->is_null(i) ? "NULL" : std::string(rows->text(i)));
      }
    }
    return result;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
};

TEST_F(WriterTest, StoresEveryFieldOfEveryRecord) {
  write([](RecordSink& sink) { feed_full_records(sink); });
  // Relative to start_realtime_ns 1795219187000000000.
  EXPECT_EQ(query("SELECT * FROM thread", 5), "4|1|1234|2|5");
  EXPECT_EQ(query("SELECT * FROM device", 13),
            "3|1|A GPU|GPU-01234567-0123-0123-0123-0123456789ab|9|1|132|1980000|3201000|6144|"
            "150000000000|4900000000000|62914560");
  EXPECT_EQ(query("SELECT * FROM domain", 3), "2|1|6");
  EXPECT_EQ(query("SELECT * FROM name", 5), "3|2|-81985529216486896|1|7");
  EXPECT_EQ(query("SELECT id,parent_id,thread_id,domain_id,kind,text_id,hex(numbers),start_ns,"
                  "duration_ns,end_thread_id,alias_of_id,category,color_argb,payload_type,payload "
                  "FROM range",
                  15),
            "17179869202|17179869201|4|2|2|21|E804|554909269|99|5|17179869200|17|4278255360|3|"
            "-4616189618054758400");
  EXPECT_EQ(query("SELECT id,thread_id,domain_id,parent_id,text_id,hex(numbers),time_ns,category,"
                  "color_argb,payload_type,payload FROM mark",
                  11),
            "1|4|2|17179869202|21|E804|554909274|18|4278190335|5|4294967295");
  EXPECT_EQ(query("SELECT * FROM payload_schema", 5), "2|77|1|8|[{\"name\":\"x\"}]");
  EXPECT_EQ(query("SELECT id,range_id,domain_id,schema,hex(bytes) FROM payload_blob", 5),
            "1|17179869202|2|77|0001FF");
  EXPECT_EQ(query("SELECT id,process_id,kind,name,hex(bytes) FROM document", 5),
            "1|1|inductor.wrapper|c1|789C00");
  EXPECT_EQ(query("SELECT * FROM api_function", 3), "1|1|9");
  EXPECT_EQ(query("SELECT * FROM api_call", 9),
            "21474836483|1|0|1|4|554909259|20|17179869202|-700");
  EXPECT_EQ(query("SELECT * FROM work_origin", 4), "0|0|0|0 1|1|7|30064771081");
  EXPECT_EQ(query("SELECT * FROM queue", 5), "1|1|3|2|13");
  EXPECT_EQ(query("SELECT * FROM launch_config", 16),
            "1|10|1024|65535|3|128|2|4|2|1|1|255|1024|229376|16|1");
  EXPECT_EQ(query("SELECT * FROM kernel", 7), "21474836483|1|0|554909369|4321|1|1");
  EXPECT_EQ(query("SELECT * FROM memcpy", 13),
            "21474836483|1|0|554909469|4321|1|78187493530|10|2|3|1|5|12");
  EXPECT_EQ(query("SELECT * FROM memset", 10),
            "21474836483|1|0|554909569|4321|1|4096|3735928559|7|1");
  EXPECT_EQ(query("SELECT * FROM sync", 9), "1|1|21474836484|2|2|13|6|554909669|100");
  EXPECT_EQ(query("SELECT * FROM overhead", 6), "1|1|11|1234|554909869|100");
  EXPECT_EQ(query("SELECT * FROM graph_node", 11),
            "30064771081|7|25769803777|4|4|17179869202|554909219|9|5|6|7");
  EXPECT_EQ(query("SELECT * FROM graph_exec", 5), "7|6|4|554909209|10");
  EXPECT_EQ(query("SELECT * FROM graph_end", 3), "7|4|554910259");
  EXPECT_EQ(query("SELECT * FROM graph_update", 6),
            "1|30064771081|34359738370|4|17179869202|554909229");
  EXPECT_EQ(query("SELECT * FROM graph_launch", 3), "21474836483|7|4");
  EXPECT_EQ(query("SELECT * FROM clock_sync", 5),
            "1|1|1795219187554909269|123456789|1795219187554909270");
  EXPECT_EQ(query("SELECT * FROM device_state", 10),
            "1|1|3|554910069|1980|2619|0|41|0|78187493530");
  EXPECT_EQ(query("SELECT * FROM allocation", 14),
            "1|1|21474836485|1|3|3|2|13|554910119|139637976727552|8192|9|20480|33554432");
  EXPECT_EQ(query("SELECT * FROM os_call", 6), "1|4|17179869202|9|554910169|50");
  EXPECT_EQ(query("SELECT * FROM capture", 8),
            "2|1|554909274|554910264|257|513|step 10|end of step 12");
  EXPECT_EQ(query("SELECT * FROM loss", 6),
            "dropped_records|1|42|554909269|554909276|a line for a person");
  EXPECT_EQ(query("SELECT hex(text) FROM string WHERE id=20", 1),
            "616E792000206279746520FFFE2022205C20");
}

TEST_F(WriterTest, TheLastRecordOfACaptureCounts) {
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"start_realtime_ns", "1000"});
    sink.on(CaptureRecord{1, 1'100, 0, "signal", ""});
    sink.on(CaptureRecord{2, 1'500, 0, "step 20", ""});
    sink.on(CaptureRecord{1, 1'100, 1'200, "signal", "after 100 ns"});
  });
  EXPECT_EQ(query("SELECT capture,start_ns,ifnull(end_ns,'none'),opener,ifnull(closer,'none') "
                  "FROM capture",
                  5),
            "1|100|200|signal|after 100 ns 2|500|none|step 20|none");
}

TEST_F(WriterTest, IsRecognisable) {
  write([](RecordSink&) {});
  EXPECT_EQ(query("PRAGMA application_id", 1), std::to_string(schema::kApplicationId));
  EXPECT_EQ(query("PRAGMA user_version", 1), std::to_string(schema::kVersion));
  EXPECT_EQ(query("SELECT * FROM meta", 2), "prof_version|" PROF_VERSION_STRING " schema_version|" +
                                                std::to_string(schema::kVersion));
}

TEST_F(WriterTest, StoresWhatItWasToldAboutTheProcess) {
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"pid", "4711"});
    sink.on(MetaRecord{"executable", "/bin/app"});
    sink.on(MetaRecord{"command_line", "app -x"});
    sink.on(MetaRecord{"schema_version", "99"});
  });
  EXPECT_EQ(query("SELECT * FROM process", 4), "1|4711|/bin/app|app -x");
  EXPECT_EQ(query("SELECT value FROM meta WHERE key='schema_version'", 1),
            std::to_string(schema::kVersion));
}

TEST_F(WriterTest, TheStartComesFromOptionsMetaOrTheFirstTime) {
  const auto feed = [](RecordSink& sink) {
    ApiRecord api;
    api.correlation = 1;
    api.start_ns = 1'000'500;
    api.end_ns = 1'000'600;
    sink.on(api);
    api.correlation = 2;
    api.start_ns = 1'000'400;  // Before the first.
    sink.on(api);
    api.correlation = 3;
    api.start_ns = 0;  // Not known.
    sink.on(api);
    api.correlation = 4;
    api.start_ns = 1'000'500;
    api.end_ns = 0;
    sink.on(api);
  };
  write(feed);
  EXPECT_EQ(query("SELECT value FROM meta WHERE key='start_realtime_ns'", 1), "1000500");
  EXPECT_EQ(query("SELECT start_ns,duration_ns FROM api_call", 2),
            "0|100 -100|200 NULL|NULL 0|NULL");
  write(feed, {.force = true, .start_realtime_ns = 1'000'000});
  EXPECT_EQ(query("SELECT start_ns FROM api_call", 1), "500 400 NULL 500");
  write(
      [&feed](RecordSink& sink) {
        sink.on(MetaRecord{"start_realtime_ns", "2000000"});
        feed(sink);
        sink.on(MetaRecord{"start_realtime_ns", "3000000"});
      },
      {.force = true});
  EXPECT_EQ(query("SELECT start_ns FROM api_call", 1), "-999500 -999600 NULL -999500");
  EXPECT_EQ(query("SELECT value FROM meta WHERE key='start_realtime_ns'", 1), "2000000");
}

TEST_F(WriterTest, EqualKeysAreAllKept) {
  write([](RecordSink& sink) {
    KernelRecord kernel;
    ApiRecord api;
    for (int i = 0; i < 4; ++i) {
      for (const Correlation correlation : {0u, 5u, 0u}) {
        kernel.correlation = api.correlation = correlation;
        sink.on(kernel);
        sink.on(api);
      }
      kernel.correlation = 5;
      kernel.graph_node = static_cast<std::uint64_t>(i);
      kernel.origin = Origin::kGraph;
      sink.on(kernel);
      kernel.graph_node = 0;
      kernel.origin = Origin::kApi;
    }
    MemcpyRecord copy;
    MemsetRecord set;
    for (int i = 0; i < 3; ++i) {
      sink.on(copy);
      sink.on(set);
    }
  });
  EXPECT_EQ(
      query("SELECT correlation,count(*),max(repeat) FROM kernel WHERE origin_id=0 GROUP BY 1", 3),
      "0|8|7 5|4|3");
  EXPECT_EQ(query("SELECT correlation,count(*),max(repeat) FROM api_call GROUP BY 1", 3),
            "0|8|7 5|4|3");
  EXPECT_EQ(query("SELECT count(*) FROM kernel", 1), "16");
  EXPECT_EQ(query("SELECT group_concat(repeat,',') FROM memcpy", 1), "0,1,2");
  EXPECT_EQ(query("SELECT group_concat(repeat,',') FROM memset", 1), "0,1,2");
}

TEST_F(WriterTest, ARangeToldAgainIsUpdated) {
  write([](RecordSink& sink) {
    RangeRecord range;
    range.id = 9;
    range.thread = range.end_thread = ThreadId{1};
    range.start_ns = 1000;
    sink.on(range);
    sink.commit();
    range.end_ns = 1800;
    sink.on(range);
    range.id = 10;
    range.end_ns = 0;
    sink.on(range);
  });
  EXPECT_EQ(query("SELECT id,start_ns,duration_ns,end_thread_id FROM range", 4),
            "9|0|800|0 10|0|NULL|0");
}

TEST_F(WriterTest, RangesAlikeShareAForm) {
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"start_realtime_ns", "1000"});
    RangeRecord range;
    range.thread = range.end_thread = ThreadId{1};
    range.text = StringId{7};
    for (const RangeId id : {RangeId{4}, RangeId{3}, RangeId{2}, RangeId{1}}) {  // As they end.
      range.id = id;
      range.parent = id - 1;
      range.text = StringId{id == 4 ? 8u : 7u};
      range.start_ns = 1000 + static_cast<std::int64_t>(id) * 10;
      range.end_ns = 2000;
      sink.on(range);
    }
  });
  EXPECT_EQ(query("SELECT id,up,form_id,start_ns,duration_ns FROM range_row", 5),
            "1|NULL|2|0|990 2|1|2|10|980 3|1|2|20|970 4|1|1|30|960");
  EXPECT_EQ(query("SELECT id,text_id FROM range_form", 2), "1|8 2|7");
  EXPECT_EQ(query("SELECT * FROM range_block", 2), "0|10");
  EXPECT_EQ(query("SELECT count(*) FROM range_rare", 1), "0");
  EXPECT_EQ(query("SELECT id,parent_id,start_ns,text_id FROM range", 4),
            "1|0|10|7 2|1|20|7 3|2|30|7 4|3|40|8");
}

// More blocks than the writer remembers, with a range of each written after them all.
TEST_F(WriterTest, ABlockOfRangesKeepsItsStart) {
  constexpr RangeId kBlocks = 5'000;
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"start_realtime_ns", "1000"});
    for (const RangeId offset : {RangeId{2}, RangeId{1}}) {
      for (RangeId block = 0; block < kBlocks; ++block) {
        RangeRecord range;
        range.id = block * 256 + offset;
        range.thread = range.end_thread = ThreadId{1};
        range.start_ns = 1000 + static_cast<std::int64_t>(range.id) * 1000;
        range.end_ns = range.start_ns + 5;
        sink.on(range);
      }
      sink.commit();
    }
  });
  EXPECT_EQ(query("SELECT count(*),sum(start_ns=id*1000),sum(duration_ns=5) FROM range", 3),
            "10000|10000|10000");
  EXPECT_EQ(query("SELECT count(*) FROM range_block", 1), std::to_string(kBlocks));
}

TEST_F(WriterTest, LossesAddUp) {
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"start_realtime_ns", "1000"});
    sink.on(LossRecord{"queue_full", 5, 0, 0, ""});
    sink.on(LossRecord{"queue_full", 7, 3000, 4000, "first detail"});
    sink.on(LossRecord{"queue_full", 1, 2000, 2500, "second detail"});
    sink.on(LossRecord{"ring_full", 2, 0, 0, ""});
  });
  EXPECT_EQ(query("SELECT what,count,first_ns,last_ns,detail FROM loss", 5),
            "queue_full|13|1000|3000|first detail ring_full|2|NULL|NULL|");
}

TEST_F(WriterTest, ExtremeValuesDoNotOverflow) {
  write([](RecordSink& sink) {
    sink.on(MetaRecord{"start_realtime_ns", "9000000000000000000"});
    KernelRecord kernel;
    kernel.correlation = std::numeric_limits<std::uint64_t>::max();
    kernel.graph_node = std::numeric_limits<std::uint64_t>::max();
    kernel.start_ns = std::numeric_limits<std::int64_t>::min();
    kernel.end_ns = std::numeric_limits<std::int64_t>::max();
    sink.on(kernel);
    sink.on(kernel);
    MemcpyRecord copy;
    copy.bytes = std::numeric_limits<std::uint64_t>::max();
    sink.on(copy);
  });
  EXPECT_EQ(query("SELECT correlation,repeat FROM kernel", 2), "-1|0 -1|1");
  EXPECT_EQ(query("SELECT bytes FROM memcpy", 1), "-1");
}

TEST_F(WriterTest, CommitsByItselfWhenManyRowsWait) {
  auto writer = TraceWriter::create(path_, {.max_waiting_rows = 1000});
  ASSERT_TRUE(writer.ok());
  const auto before = std::filesystem::file_size(path_);
  sample::Options options;
  for (std::uint64_t i = 0; i < 900; ++i) (*writer)->on(sample::launch(options, i));
  EXPECT_EQ(std::filesystem::file_size(path_), before) << "the file changes only in a commit";
  for (std::uint64_t i = 900; i < 1100; ++i) (*writer)->on(sample::launch(options, i));
  EXPECT_GT(std::filesystem::file_size(path_), before);
}

TEST_F(WriterTest, NothingWaitsAfterAnError) {
  write([](RecordSink&) {});
  Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
  ASSERT_TRUE(db.ok());
  RowWriter rows(std::move(*db));
  ASSERT_TRUE(rows.prepare().ok());
  const std::string_view key = "a key", value = "a value";
  rows.write<schema::kMetaTable>(key, value);
  EXPECT_GE(rows.waiting_bytes(), key.size() + value.size());
  rows.lose_file(0, {"is gone", path_, ""});
  rows.write<schema::kMetaTable>(key, value);
  rows.write(ClockSyncRecord{});
  EXPECT_EQ(rows.waiting_bytes(), 0u);
  EXPECT_EQ(rows.waiting_rows(), 0u);
  EXPECT_EQ(rows.lost_records(), 3u);
}

TEST_F(WriterTest, TheViewsTellAStory) {
  write([](RecordSink& sink) {
    sample::Options options;
    options.kernels = 3;
    sample::feed(sink, options);
    MemcpyRecord copy;
    copy.correlation = 2;
    copy.bytes = 4096;
    copy.copy_kind = 1;
    sink.on(copy);
    MemsetRecord set;
    set.correlation = 3;
    set.bytes = 64;
    sink.on(set);
  });
  EXPECT_EQ(query("SELECT correlation,name,grid,block,stream,thread,api,range FROM kernels", 8),
            "1|_Z6kernelILi0EEvPf|1,1,1|128,1,1|13|4711|cuLaunchKernel|layer "
            "2|_Z6kernelILi1EEvPf|2,1,1|128,1,1|7|4711|cuLaunchKernel|layer "
            "3|_Z6kernelILi2EEvPf|3,1,1|128,1,1|7|4711|cuLaunchKernel|layer");
  EXPECT_EQ(query("SELECT work,bytes,copy_kind,api,range FROM copies ORDER BY correlation", 5),
            "memcpy|4096|1|cuLaunchKernel|layer memset|64|NULL|cuLaunchKernel|layer");
  EXPECT_EQ(query("SELECT count(*),min(text),min(thread) FROM ranges", 3), "3|layer|4711");
  EXPECT_EQ(query("SELECT count(*),min(name),min(range) FROM api_calls", 3),
            "3|cuLaunchKernel|layer");
}

}  // namespace
}  // namespace prof
