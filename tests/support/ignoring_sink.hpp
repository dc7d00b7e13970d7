// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A sink that ignores every record: a base for tests that handle a few kinds (with `using
// IgnoringSink::on;`), or for tests that keep nothing.
#pragma once

#include "libprof/source/record_sink.hpp"

namespace prof::test {

class IgnoringSink : public RecordSink {
 public:
#define PROF_IGNORE(Record) \
  void on(const Record& /*record*/) override {}
  PROF_ALL_RECORDS(PROF_IGNORE)
#undef PROF_IGNORE

  void commit() override {}
  [[nodiscard]] Status status() const override { return {}; }
};

}  // namespace prof::test
