// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/sqlite_db.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/full_records.hpp"
#include "tests/unit/source/temp_folder.hpp"
#include "tests/unit/store/reader_fixture.hpp"
#include "tests/unit/store/sample_capture.hpp"

namespace prof {
namespace {

TEST_F(ReaderTest, PayloadsByTheirRangeAndBySchema) {
  const auto reader = trace([](RecordSink& sink) {
    sink.on(PayloadSchemaRecord{DomainId{2}, 7, {}, R"([{"name":"a"}])"});
    const auto blob = [&](RangeId range, std::uint32_t domain, std::uint64_t schema,
                          std::string_view bytes) {
      sink.on(PayloadBlobRecord{range, DomainId{domain}, schema, bytes});
    };
    blob(0, 2, 7, "of a mark");
    blob(300, 2, 7, "first");
    blob(5, 2, 7, std::string_view("\0\xff", 2));
    blob(300, 2, 8, "second");
    blob(300, 3, 7, "of another domain");
  });
  ASSERT_NE(reader, nullptr);
  const auto schemas = reader->payload_schemas();
  ASSERT_EQ(schemas.size(), 1u);
  EXPECT_EQ(schemas[0].domain, DomainId{2});
  EXPECT_EQ(schemas[0].schema, 7u);
  EXPECT_EQ(schemas[0].fields_json, R"([{"name":"a"}])");
  std::vector<std::string> seen;
  const auto visit = [&](const PayloadRow& row) {
    seen.push_back(std::to_string(row.range) + "/" + std::to_string(row.schema) + "/" +
                   std::string(row.bytes));
  };
  using Seen = std::vector<std::string>;
  reader->payloads_of(300, visit);
  EXPECT_EQ(seen, (Seen{"300/7/first", "300/8/second", "300/7/of another domain"}));
  seen.clear();
  reader->payloads_of(6, visit);
  EXPECT_TRUE(seen.empty());
  reader->payloads_with(DomainId{2}, 7, visit);
  EXPECT_EQ(seen, (Seen{"0/7/of a mark", "300/7/first", std::string("5/7/\0\xff", 6)}));
  EXPECT_TRUE(reader->status().ok());
}

TEST_F(ReaderTest, GivesBackWhatWasWritten) {
  {
    auto writer = TraceWriter::create(path_);
    ASSERT_TRUE(writer.ok());
    feed_full_records(**writer);
  }
  const auto opened = TraceReader::open(path_);
  ASSERT_TRUE(opened.ok());
  TraceReader& reader = **opened;
  EXPECT_EQ(reader.start_realtime_ns(), 1'795'219'187'000'000'000);
  EXPECT_EQ(reader.meta("command_line"), "./app --option 'a b'");
  EXPECT_EQ(reader.meta("absent"), "");
  EXPECT_EQ(reader.string(StringId{20}), std::string_view("any \0 byte \xff\xfe \" \\ \n", 18));
  EXPECT_EQ(reader.string(StringId{999}), "");
  EXPECT_EQ(reader.string(kOverflowString), "(text not kept: the string table was full)");
  EXPECT_EQ(reader.domain_name(DomainId{2}), "text 6");
  EXPECT_EQ(reader.domain_name(DomainId{3}), "");
  ASSERT_EQ(reader.threads().size(), 1u);
  EXPECT_EQ(reader.threads()[0].os_tid, 1234u);
  EXPECT_EQ(reader.threads()[0].name, "text 5");
  ASSERT_EQ(reader.devices().size(), 1u);
  EXPECT_EQ(reader.devices()[0].sm_count, 132u);
  EXPECT_EQ(reader.devices()[0].memory_bandwidth_bytes_per_s, 4'900'000'000'000u);
  EXPECT_EQ(reader.devices()[0].l2_bytes, 62'914'560u);

  const auto cursor = reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  const GpuRow* row = cursor->next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->kind, GpuRow::Kind::kKernel);
  EXPECT_EQ(row->correlation, 0x500000003u);
  EXPECT_EQ(row->graph_node, 0x700000009u);
  EXPECT_EQ(row->origin, Origin::kGraph);
  EXPECT_EQ(row->device, 3u);
  EXPECT_EQ(row->context, 2u);
  EXPECT_EQ(row->stream, 13u);
  EXPECT_EQ(row->start_ns, 554'909'369);
  EXPECT_EQ(row->duration_ns, 4321);
  EXPECT_TRUE(row->launched);
  EXPECT_EQ(row->thread, ThreadId{4});
  EXPECT_EQ(row->function, StringId{9});
  EXPECT_EQ(row->stack, 0x400000012u);
  EXPECT_EQ(row->launch_start_ns, 554'909'259);
  EXPECT_EQ(row->launch_duration_ns, 20);
  const LaunchConfig& config = reader.config(row->config);
  EXPECT_EQ(config.name, StringId{10});
  EXPECT_EQ(config.grid, (Dim3{1024, 65535, 3}));
  EXPECT_EQ(config.block, (Dim3{128, 2, 4}));
  EXPECT_EQ(config.cluster, (Dim3{2, 1, 1}));
  EXPECT_EQ(config.registers_per_thread, 255u);
  EXPECT_EQ(config.static_shared_bytes, 1024u);
  EXPECT_EQ(config.dynamic_shared_bytes, 229376u);
  EXPECT_EQ(config.local_bytes_per_thread, 16u);
  EXPECT_TRUE(config.cooperative);
  row = cursor->next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->kind, GpuRow::Kind::kMemcpy);
  EXPECT_EQ(row->bytes, 0x123456789au);
  EXPECT_EQ(row->copy_kind, 10);
  EXPECT_EQ(row->source, MemoryKind::kPinned);
  EXPECT_EQ(row->destination, MemoryKind::kDevice);
  row = cursor->next();
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->kind, GpuRow::Kind::kMemset);
  EXPECT_EQ(row->bytes, 4096u);
  EXPECT_EQ(row->destination, MemoryKind::kManagedStatic);
  EXPECT_EQ(cursor->next(), nullptr);
  EXPECT_TRUE(cursor->status().ok());

  const RangeRef range = reader.range(0x400000012);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->parent, 0x400000011u);
  EXPECT_EQ(range->alias_of, 0x400000010u);
  EXPECT_EQ(range->kind, RangeRecord::Kind::kAlias);
  EXPECT_EQ(range->thread, ThreadId{4});
  EXPECT_EQ(range->domain, DomainId{2});
  EXPECT_EQ(range->template_id, 21u);
  EXPECT_EQ(range->whole_text(), "op, seq = 616");
  EXPECT_EQ(range->start_ns, 554'909'269);
  EXPECT_EQ(range->end_ns, 554'909'368);
  EXPECT_TRUE(reader.has_numbered_ranges());
  EXPECT_FALSE(reader.range(0));
  EXPECT_FALSE(reader.range(1));
}

TEST_F(ReaderTest, WhatHappenedToGraphsComesByTime) {
  const auto reader = trace([](RecordSink& sink) { feed_full_records(sink); });
  using Kind = GraphEventRow::Kind;
  std::vector<GraphEventRow> events;
  const auto cursor = reader->graph_events();
  while (const GraphEventRow* const event = cursor->next()) events.push_back(*event);
  EXPECT_TRUE(cursor->status().ok());
  ASSERT_EQ(events.size(), 5u);
  const Kind kinds[] = {Kind::kExecBegin, Kind::kNode, Kind::kExecEnd, Kind::kUpdate, Kind::kEnd};
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].kind, kinds[i]) << i;
    EXPECT_EQ(events[i].thread, ThreadId{4}) << i;
    if (i > 0) {
      EXPECT_GE(events[i].time_ns, events[i - 1].time_ns) << i;
    }
  }
  EXPECT_EQ(events[1].time_ns - events[0].time_ns, 10);
  EXPECT_EQ(events[1].node, 0x700000009u);
  EXPECT_EQ(events[1].other, 0x600000001u);
  EXPECT_EQ(events[1].graph, 7u);
  EXPECT_EQ(events[1].node_type, 4u);
  EXPECT_EQ(events[1].stack, 0x400000012u);
  EXPECT_EQ(events[1].function, StringId{9});
  EXPECT_EQ(events[1].grid, (Dim3{5, 6, 7}));
  EXPECT_EQ(events[2].graph, 7u);
  EXPECT_EQ(events[3].node, 0x700000009u);
  EXPECT_EQ(events[3].other, 0x800000002u);
  EXPECT_EQ(events[3].stack, 0x400000012u);
  EXPECT_EQ(events[4].graph, 7u);
}

TEST_F(ReaderTest, AGraphIsLaunchedByTheOutermostCallThatWasRecorded) {
  const auto reader = trace([](RecordSink& sink) {
    for (const std::uint32_t depth : {1U, 2U, 1U}) {
      ApiRecord call;
      call.correlation = 5;
      call.depth = depth;
      call.stack = depth;
      sink.on(call);
    }
    sink.on(GraphLaunchRecord{5, 7, ThreadId{1}});
    sink.on(GraphLaunchRecord{6, 8, ThreadId{1}});
  });
  const auto launches = reader->graph_launches();
  const GraphLaunchRow* launch = launches->next();
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->correlation, 5U);
  EXPECT_TRUE(launch->launched);
  EXPECT_EQ(launch->stack, 1U);
  launch = launches->next();
  ASSERT_NE(launch, nullptr);
  EXPECT_EQ(launch->correlation, 6U);
  EXPECT_FALSE(launch->launched);
  EXPECT_EQ(launches->next(), nullptr);
}

TEST_F(ReaderTest, RangesOfTheProcessComeInTheOrderOfTheirStarts) {
  const auto reader = trace([](RecordSink& sink) {
    sink.on(StringRecord{StringId{1}, "step:7"});
    const auto add = [&sink](RangeId id, RangeRecord::Kind kind, std::int64_t start_ns,
                             std::int64_t end_ns) {
      RangeRecord range;
      range.id = id;
      range.kind = kind;
      range.thread = ThreadId{3};
      if (end_ns != 0) range.end_thread = ThreadId{5};
      range.text = StringId{1};
      range.start_ns = start_ns;
      range.end_ns = end_ns;
      sink.on(range);
    };
    add(2, RangeRecord::Kind::kStartEnd, 1'000 + 500, 0);
    add(3, RangeRecord::Kind::kPushPop, 1'000 + 50, 1'000 + 60);
    add(4, RangeRecord::Kind::kStartEnd, 1'000 + 100, 1'000 + 300);
  });
  std::vector<TextRangeRow> rows;
  reader->process_ranges([&rows](const TextRangeRow& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, 4U);
  EXPECT_EQ(rows[0].text, "step:7");
  EXPECT_EQ(rows[0].start_ns, 100);
  EXPECT_EQ(rows[0].end_ns, 300);
  EXPECT_EQ(rows[0].thread, ThreadId{3});
  EXPECT_EQ(rows[0].end_thread, ThreadId{5});
  EXPECT_EQ(rows[1].id, 2U);
  EXPECT_EQ(rows[1].end_thread, ThreadId{3}) << "still open";
  EXPECT_EQ(rows[1].end_ns, std::nullopt);
  rows.clear();
  reader->thread_ranges([](DomainId, std::string_view text) { return text == "step:7"; },
                        [&rows](const TextRangeRow& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].id, 3U);
  EXPECT_EQ(rows[0].start_ns, 50);
  EXPECT_EQ(rows[0].end_ns, 60);
  rows.clear();
  reader->thread_ranges([](DomainId, std::string_view) { return false; },
                        [&rows](const TextRangeRow& row) { rows.push_back(row); });
  EXPECT_TRUE(rows.empty());
}

TEST_F(ReaderTest, PlacesOfRangesOnStacksHaveTheNumbersOfTheirForms) {
  const auto reader = trace([](RecordSink& sink) {
    sink.on(StringRecord{StringId{1}, "outer"});
    sink.on(StringRecord{StringId{2}, "inner"});
    const auto add = [&sink](RangeId id, RangeId parent, std::uint32_t text, std::int64_t start_ns,
                             RangeRecord::Kind kind = RangeRecord::Kind::kPushPop) {
      RangeRecord range;
      range.id = id;
      range.parent = parent;
      range.kind = kind;
      range.thread = ThreadId{3};
      range.text = StringId{text};
      range.start_ns = start_ns;
      sink.on(range);
    };
    add(2, 0, 1, 1'000 + 50);
    add(3, 2, 2, 1'000 + 60);
    add(4, 0, 1, 1'000 + 70, RangeRecord::Kind::kStartEnd);
    add(5, 2, 2, 0);  // when it began is not known
    add(6, 2, 2, 1'000 + 80);
  });
  std::vector<std::string> forms;
  const auto stacks = reader->thread_stacks([&](const StackFormRow& form) {
    forms.emplace_back(form.text);
    return static_cast<std::uint32_t>(forms.size() - 1);
  });
  std::vector<std::string> places;
  while (const StackPlaceRow* const row = stacks->next()) {
    places.push_back(std::to_string(row->id) + " in " + std::to_string(row->parent) + ": " +
                     forms.at(row->form));
  }
  EXPECT_TRUE(stacks->status().ok());
  EXPECT_EQ(places, (std::vector<std::string>{"2 in 0: outer", "3 in 2: inner", "6 in 2: inner"}));
  EXPECT_EQ(std::ranges::count(forms, "outer"), 1)
      << "that of the process's range is not asked for";
}

TEST_F(ReaderTest, WorkComesInLaunchOrderWithItsLaunch) {
  const auto reader = trace([](RecordSink& sink) {
    const auto api = [&sink](Correlation correlation, std::uint32_t depth, std::uint32_t function) {
      ApiRecord record;
      record.correlation = correlation;
      record.depth = depth;
      record.function = StringId{function};
      record.thread = ThreadId{1};
      record.stack = correlation * 10;
      record.start_ns = 1'000 + static_cast<std::int64_t>(correlation);
      record.end_ns = record.start_ns + 5;
      sink.on(record);
    };
    const auto work = [&sink](auto record, Correlation correlation, std::int64_t start) {
      record.correlation = correlation;
      record.start_ns = start;
      record.end_ns = start + 1;
      sink.on(record);
    };
    api(7, 1, 71);  // The inner call comes first, as it ends first.
    api(7, 0, 70);
    api(3, 0, 30);
    api(8, 0, 80);
    api(1, 0, 10);
    work(KernelRecord{}, 7, 5'000);
    work(KernelRecord{}, 3, 9'000);
    work(KernelRecord{}, 7, 4'000);
    work(MemcpyRecord{}, 7, 4'500);
    work(MemsetRecord{}, 2, 100'000);
    work(KernelRecord{}, 9, 2'000);
    work(KernelRecord{}, 0, 1'500);
    api(0, 0, 99);
  });
  ASSERT_NE(reader, nullptr);
  const auto cursor = reader->gpu_work(TraceReader::Work::kKernelsAndCopies);
  std::string found;
  while (const GpuRow* const row = cursor->next()) {
    found.push_back("KCS"[static_cast<int>(row->kind)]);
    found.append(std::to_string(row->correlation) + "@" + std::to_string(row->start_ns) + ":" +
                 (row->launched ? std::to_string(row->function.value) : "-") + " ");
    EXPECT_EQ(row->stack, row->launched ? row->correlation * 10 : 0);
  }
  EXPECT_EQ(found, "K0@500:- S2@99000:- K3@8000:30 K7@3000:70 C7@3500:70 K7@4000:70 K9@1000:- ");
  const auto kernels = reader->gpu_work(TraceReader::Work::kKernels);
  int count = 0;
  while (const GpuRow* const row = kernels->next()) {
    EXPECT_EQ(row->kind, GpuRow::Kind::kKernel);
    ++count;
  }
  EXPECT_EQ(count, 5);
}

TEST_F(ReaderTest, ManyRowsOfOneCorrelationComeByStart) {
  constexpr int kRows = 70'000;  // More than are sorted in memory.
  const auto reader = trace([](RecordSink& sink) {
    for (int i = 0; i < kRows; ++i) {
      KernelRecord kernel;
      kernel.origin = Origin::kDevice;
      kernel.start_ns = 1'000 + (i * 7919LL) % kRows + 1;
      kernel.end_ns = kernel.start_ns + 1;
      sink.on(kernel);
    }
    for (const Correlation correlation : {5u, 6u, 6u}) {
      KernelRecord kernel;
      kernel.correlation = correlation;
      kernel.start_ns = 2'000;
      sink.on(kernel);
    }
  });
  ASSERT_NE(reader, nullptr);
  const auto cursor = reader->gpu_work(TraceReader::Work::kKernelsAndCopies);
  for (int i = 0; i < kRows; ++i) {
    const GpuRow* const row = cursor->next();
    ASSERT_NE(row, nullptr);
    ASSERT_EQ(row->start_ns, i + 1);
    EXPECT_EQ(row->correlation, 0u);
    EXPECT_EQ(row->origin, Origin::kDevice);
  }
  for (const Correlation correlation : {5u, 6u, 6u}) {
    const GpuRow* const row = cursor->next();
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->correlation, correlation);
  }
  EXPECT_EQ(cursor->next(), nullptr);
}

TEST_F(ReaderTest, HugeCorrelations) {
  const Correlation huge = std::numeric_limits<std::int64_t>::max();
  const auto reader = trace([huge](RecordSink& sink) {
    for (const Correlation correlation : {huge, Correlation{1}, huge - 1, Correlation{1} << 40}) {
      KernelRecord kernel;
      kernel.correlation = correlation;
      sink.on(kernel);
      sink.on(kernel);
      ApiRecord api;
      api.correlation = correlation;
      sink.on(api);
    }
  });
  ASSERT_NE(reader, nullptr);
  const auto cursor = reader->gpu_work(TraceReader::Work::kKernels);
  for (const Correlation correlation : {Correlation{1}, Correlation{1} << 40, huge - 1, huge}) {
    for (int i = 0; i < 2; ++i) {
      const GpuRow* const row = cursor->next();
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->correlation, correlation);
      EXPECT_TRUE(row->launched);
    }
  }
  EXPECT_EQ(cursor->next(), nullptr);
}

TEST_F(ReaderTest, OpFactsComeWithTheirRanges) {
  // Beyond what the cache keeps, so that a range is read by the scan and looked up later.
  constexpr RangeId kLast = 100'000;
  const auto has_fact = [](RangeId id) { return id % 3 == 0; };
  {
    auto writer = TraceWriter::create(path_, {});
    ASSERT_TRUE(writer.ok());
    for (RangeId id = 1; id <= kLast; ++id) {
      RangeRecord range;
      range.id = id;
      range.start_ns = static_cast<std::int64_t>(id);
      if (has_fact(id)) range.op = {StringId{7}, id, ThreadId{2}};
      if (id % 2 == 0) range.op.sequence.reset();
      (*writer)->on(range);
    }
    (*writer)->on(StringRecord{StringId{7}, R"({"op":"aten::add","args":[]})"});
  }
  const auto opened = TraceReader::open(path_);
  ASSERT_TRUE(opened.ok());
  TraceReader* const reader = opened->get();
  EXPECT_TRUE(reader->has_numbered_ranges());
  const auto check = [&](const RangeRow& range) {
    const RangeId id = range.id;
    ASSERT_EQ(range.op.signature, has_fact(id) ? StringId{7} : StringId{}) << id;
    if (!has_fact(id)) return;
    ASSERT_EQ(range.op.sequence, id % 2 == 0 ? std::nullopt : std::optional<std::uint64_t>(id));
    ASSERT_EQ(range.op.forward_thread, ThreadId{2});
  };
  RangeId last = 0;
  while (const auto range = reader->range_after(last)) {
    check(*range);
    last = range->id;
  }
  EXPECT_EQ(last, kLast);
  for (const RangeId id : {RangeId{3}, RangeId{4}, RangeId{64}, RangeId{99}}) {
    check(*reader->range(id));
  }
  EXPECT_TRUE(reader->status().ok());
}

TEST_F(ReaderTest, AProperEndHasNoLosses) {
  const auto reader = trace([](RecordSink& sink) { sample::feed(sink, {}); });
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->capture_end().how, "stop");
  EXPECT_TRUE(reader->losses().empty());
}

TEST_F(ReaderTest, CursorsOutliveTheirReader) {
  auto reader = trace([](RecordSink& sink) { sample::feed(sink, {}); });
  ASSERT_NE(reader, nullptr);
  const auto cursor = reader->gpu_work(TraceReader::Work::kKernels);
  reader.reset();
  int count = 0;
  while (cursor->next() != nullptr) ++count;
  EXPECT_EQ(count, 1000);
}

TEST_F(ReaderTest, EachKindOfWrongFileHasItsOwnLine) {
  EXPECT_EQ(problem(folder_.path("missing.db")), "cannot be opened: No such file or directory");
  EXPECT_EQ(problem(folder_.path()), "is a folder without a trace");
  write_file(folder_.path("empty"), "");
  EXPECT_EQ(problem(folder_.path("empty")),
            "is empty: not a trace, or one whose capture was killed at the start");
  write_file(folder_.path("text"), "hello, I am a text and not a trace");
  EXPECT_EQ(problem(folder_.path("text")), "is not a trace (no SQLite database)");
  EXPECT_EQ(problem("/dev/null"), "is not a regular file, so not a trace");
  {
    write_file(folder_.path("foreign"), "");
    Result<SqliteDb> db = SqliteDb::open(folder_.path("foreign"), SqliteDb::Mode::kReadWrite);
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->exec("CREATE TABLE t(a)").ok());
  }
  EXPECT_EQ(problem(folder_.path("foreign")), "is an SQLite database, but not a trace");
  trace([](RecordSink& sink) { sample::feed(sink, {}); });
  const std::string whole = read_file(path_);
  write_file(folder_.path("cut"), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(problem(folder_.path("cut")), "is truncated: " + std::to_string(whole.size() / 2) +
                                              " of " + std::to_string(whole.size()) +
                                              " bytes are there");
  write_file(folder_.path("short"), whole.substr(0, 50));
  EXPECT_EQ(problem(folder_.path("short")), "is a truncated trace");
}

TEST_F(ReaderTest, ALineNamesTheReleaseThatReadsAnotherVersion) {
  trace([](RecordSink& sink) { sample::feed(sink, {}); });
  const auto line_after = [this](const std::string& change) {
    Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadWrite);
    EXPECT_TRUE(db.ok() && db->exec(change.c_str()).ok()) << change;
    db = Error{};
    const auto reader = TraceReader::open(path_);
    return reader.ok() ? std::string() : reader.error().to_line();
  };
  const std::string ours =
      std::string(", and this is libprof " PROF_VERSION_STRING ", which reads versions ") +
      std::to_string(kOldestSchema) + " to " + std::to_string(schema::kVersion) + "; ";
  const std::string newer = path_ + ": has schema version 1000";
  EXPECT_EQ(line_after("PRAGMA user_version=1"),
            path_ + ": has schema version 1" + ours + "capture again");
  EXPECT_EQ(line_after("PRAGMA user_version=1000"),
            newer + " of libprof " PROF_VERSION_STRING + ours + "use a newer one");
  EXPECT_EQ(line_after("UPDATE meta SET value='7.1.0-rc2' WHERE key='prof_version'"),
            newer + " of libprof 7.1.0-rc2" + ours + "use libprof 7.1.0-rc2 or newer");
  // Whoever wrote it, the line is ours.
  EXPECT_EQ(line_after("UPDATE meta SET value='7\n; rm' WHERE key='prof_version'"),
            newer + ours + "use a newer one");
  // Captures did not always say who wrote them.
  EXPECT_EQ(line_after("UPDATE meta SET key='collector_version',value='6.0' WHERE "
                       "key='prof_version'"),
            newer + " of libprof 6.0" + ours + "use libprof 6.0 or newer");
  EXPECT_EQ(line_after("DELETE FROM meta"), newer + ours + "use a newer one");
  EXPECT_EQ(line_after("ALTER TABLE meta RENAME TO m;CREATE VIEW meta AS SELECT 'prof_version' AS "
                       "key, '9' AS value"),
            newer + ours + "use a newer one");
}

TEST_F(ReaderTest, ReadsAReadOnlyFileAndChangesNothing) {
  trace([](RecordSink& sink) { sample::feed(sink, {}); });
  std::filesystem::permissions(path_, std::filesystem::perms(0400));
  const std::string before = read_file(path_);
  const auto reader = TraceReader::open(path_);
  ASSERT_TRUE(reader.ok());
  const auto cursor = (*reader)->gpu_work(TraceReader::Work::kKernels);
  while (cursor->next() != nullptr) {
  }
  EXPECT_EQ(read_file(path_), before);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++files;
  }
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace prof
