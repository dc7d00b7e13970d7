// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// EachRecordSink: a RecordSink for classes that treat every kind of record alike. `Derived` has a
// public template `take(const Record&)`.
#pragma once

#include "libprof/source/record_sink.hpp"

namespace prof {

template <typename Derived>
class EachRecordSink : public RecordSink {
 public:
#define PROF_TAKE(Record) \
  void on(const Record& record) final { self().take(record); }
  PROF_ALL_RECORDS(PROF_TAKE)
#undef PROF_TAKE

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

}  // namespace prof
