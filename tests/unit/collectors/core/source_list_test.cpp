// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// In which order the sources of a capture live.
#include "collectors/core/source_list.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/ignoring_sink.hpp"

namespace prof::collectors {
namespace {

/// Notes what is done to it in a text that all sources share.
class NotingSource final : public CaptureSource {
 public:
  NotingSource(std::string name, std::string& notes, bool fails = false)
      : name_(std::move(name)), notes_(notes), fails_(fails) {}

  Status open() override {
    note("open");
    if (fails_) return Error{"is not there", name_, ""};
    return {};
  }
  void close() override { note("close"); }
  void facts(const TakeFact& take) override { take(name_, "known"); }
  void flush() override { note("flush"); }
  void end_events(End end) override { note(end == End::kExit ? "end at exit" : "end"); }
  void stop(End /*end*/, bool detach) override { note(detach ? "detach" : "stop"); }
  void disconnect() override { note("disconnect"); }

 private:
  void note(const char* what) {
    notes_.append(notes_.empty() ? "" : ", ").append(name_).append(" ").append(what);
  }

  const std::string name_;
  std::string& notes_;
  const bool fails_;
};

class Sources : public testing::Test {
 protected:
  void add(const char* name, bool fails = false) {
    list_.add(std::make_unique<NotingSource>(name, notes_, fails));
  }
  std::string noted() { return std::exchange(notes_, {}); }

  std::string notes_;  // outlives the sources
  SourceList list_;
};

TEST_F(Sources, EventsEndInTheReverseOrderOfTheStart) {
  for (const char* name : {"a", "b", "c"}) add(name);
  EXPECT_TRUE(list_.open().ok());
  EXPECT_EQ(noted(), "a open, b open, c open");
  list_.flush();
  EXPECT_EQ(noted(), "a flush, b flush, c flush");
  list_.end_events(End::kExit);
  EXPECT_EQ(noted(), "c end at exit, b end at exit, a end at exit");
  list_.stop(End::kExit, false);
  list_.disconnect();
  EXPECT_EQ(noted(), "a stop, b stop, c stop, a disconnect, b disconnect, c disconnect");
}

TEST_F(Sources, AnEventIsReadByTheSourceThatKnowsIt) {
  class Reader final : public CaptureSource {
   public:
    Reader(EventKind kind, std::string& notes) : kind_(kind), notes_(notes) {}
    Status open() override { return {}; }
    bool read(ThreadId thread, const EventHeader& event, ActivitySink&) override {
      if (event.kind != kind_) return false;
      notes_ += std::to_string(static_cast<int>(kind_)) + " of thread " +
                std::to_string(thread.value) + "; ";
      return true;
    }

   private:
    const EventKind kind_;
    std::string& notes_;
  };
  struct NoSink final : ActivitySink {
    StringId intern(std::string_view) override { return {}; }
    void on(const KernelRecord&) override {}
    void on(const MemcpyRecord&) override {}
    void on(const MemsetRecord&) override {}
    void on(const OverheadRecord&) override {}
    void on(const DeviceRecord&) override {}
    void on(const ClockSyncRecord&) override {}
    RecordSink& records() override { return ignored; }
    void lost(Loss, std::uint64_t) override {}
    test::IgnoringSink ignored;
  } sink;
  for (const int kind : {100, 101}) {
    list_.add(std::make_unique<Reader>(static_cast<EventKind>(kind), notes_));
  }
  const auto read = [&](int kind) {
    const EventHeader event{sizeof(EventHeader), static_cast<EventKind>(kind), 0};
    return list_.read(ThreadId{7}, event, sink);
  };
  EXPECT_TRUE(read(101));
  EXPECT_TRUE(read(100));
  EXPECT_FALSE(read(102));
  EXPECT_EQ(noted(), "101 of thread 7; 100 of thread 7; ");
}

TEST_F(Sources, AfterAnErrorNoneIsOpen) {
  add("a");
  add("b");
  add("c", true);
  add("d");
  const Status status = list_.open();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().where, "c");
  EXPECT_EQ(noted(), "a open, b open, c open, b close, a close");
  list_.close();
  EXPECT_EQ(noted(), "");
}

TEST_F(Sources, CloseInTheReverseOrder) {
  add("a");
  add("b");
  EXPECT_TRUE(list_.open().ok());
  noted();
  list_.close();
  EXPECT_EQ(noted(), "b close, a close");
}

TEST_F(Sources, StateTheirFactsInOrder) {
  add("a");
  add("b");
  std::string keys;
  list_.facts([&keys](std::string_view key, const std::string&) { keys += key; });
  EXPECT_EQ(keys, "ab");
}

}  // namespace
}  // namespace prof::collectors
