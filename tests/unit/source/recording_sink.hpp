// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A sink that keeps every record with its texts, for tests.
#pragma once

#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "libprof/source/record_sink.hpp"

namespace prof {

template <typename List>
struct VariantOf;
template <typename... Record>
struct VariantOf<RecordList<Record...>> {
  using Type = std::variant<Record...>;
};
using AnyRecord = VariantOf<AllRecords>::Type;

class RecordingSink final : public RecordSink {
 public:
#define PROF_KEEP(Record) \
  void on(const Record& record) override { keep(record); }
  PROF_ALL_RECORDS(PROF_KEEP)
#undef PROF_KEEP

  void commit() override { ++commits; }
  [[nodiscard]] Status status() const override { return result; }

  /// The records of a kind, in order.
  template <typename Record>
  [[nodiscard]] std::vector<Record> all() const {
    std::vector<Record> found;
    for (const AnyRecord& any : records) {
      if (const auto* record = std::get_if<Record>(&any)) found.push_back(*record);
    }
    return found;
  }
  /// What is recorded of a string; empty: nothing.
  [[nodiscard]] std::string text(StringId id) const {
    for (const AnyRecord& any : records) {
      const auto* record = std::get_if<StringRecord>(&any);
      if (record != nullptr && record->id == id) return std::string(record->text);
    }
    return "";
  }

  std::vector<AnyRecord> records;
  int commits = 0;
  Status result;

 private:
  template <typename Record>
  struct Keep {
    Record& record;
    std::deque<std::string>& texts;
    void own(std::string_view& text) { text = texts.emplace_back(text); }
    void operator()(std::string_view, std::string_view Record::*field) { own(record.*field); }
    template <typename Class, typename Value>
    void operator()(std::string_view, Value Class::*) {}
    template <auto Field>
    void operator()(std::string_view, Numbers<Field>) {
      own(record.*Field);
    }
  };

  template <typename Record>
  void keep(Record record) {
    RecordKind<Record>::fields(Keep<Record>{record, texts_});
    records.emplace_back(record);
  }

  std::deque<std::string> texts_;
};

}  // namespace prof
