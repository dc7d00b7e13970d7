// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ReaderTest: a trace that a test writes, and reads again.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {

class ReaderTest : public testing::Test {
 protected:
  template <typename Feed>
  std::unique_ptr<TraceReader> trace(Feed feed) {
    {
      auto writer = TraceWriter::create(path_, {.force = true});
      EXPECT_TRUE(writer.ok()) << writer.error().to_line();
      (*writer)->on(MetaRecord{"start_realtime_ns", "1000"});
      feed(static_cast<RecordSink&>(**writer));
      (*writer)->on(MetaRecord{"ended", "stop"});
    }
    auto reader = TraceReader::open(path_);
    EXPECT_TRUE(reader.ok()) << reader.error().to_line();
    return reader.ok() ? std::move(*reader) : nullptr;
  }

  std::string problem(const std::string& path) {
    const auto reader = TraceReader::open(path);
    return reader.ok() ? "" : reader.error().what;
  }

  TempFolder folder_;
  std::string path_ = folder_.path("t.db");
};

}  // namespace prof
