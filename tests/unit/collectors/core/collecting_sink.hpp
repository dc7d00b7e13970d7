// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A sink that keeps all records, with texts resolved, for tests of the collectors. Fed by the
// recorder's writer thread; read it after stop() or flush().
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "libprof/model/losses.hpp"
#include "libprof/source/text_template.hpp"
#include "tests/support/ignoring_sink.hpp"

namespace prof::collectors {

struct CollectingSink final : test::IgnoringSink {
  using IgnoringSink::on;

  struct Range {
    RangeRecord record;
    std::string text;
  };
  struct Mark {
    MarkRecord record;
    std::string text;
  };
  struct Name {
    NameRecord record;
    std::string text;
  };
  struct Schema {
    PayloadSchemaRecord record;
    std::string name, fields;
  };
  struct Blob {
    PayloadBlobRecord record;
    std::string bytes;
  };

  std::map<std::uint32_t, std::string> strings;
  std::map<std::string, std::string> metas;
  std::map<std::uint32_t, ThreadRecord> threads;
  std::map<std::uint32_t, std::string> domains;
  std::vector<Name> names;
  std::vector<Range> recorded_ranges;
  std::vector<Mark> marks;
  std::vector<Schema> schemas;
  std::vector<Blob> blobs;
  std::vector<std::string> documents;  ///< kind, name, bytes
  std::vector<ApiRecord> apis;
  std::vector<KernelRecord> kernels;
  std::vector<ClockSyncRecord> clock_syncs;
  std::map<std::string, std::uint64_t> losses;
  std::uint64_t commits = 0;
  std::uint64_t undefined_texts = 0;  ///< Ids that were used before they were defined.

  [[nodiscard]] std::uint64_t lost(Loss loss) const {
    const auto found = losses.find(std::string(info(loss).word));
    return found == losses.end() ? 0 : found->second;
  }
  /// By id; the last record of a range that was reported twice.
  [[nodiscard]] std::map<RangeId, Range> ranges() const {
    std::map<RangeId, Range> last;
    for (const Range& range : recorded_ranges) last[range.record.id] = range;
    return last;
  }
  [[nodiscard]] std::vector<Range> ranges(const std::string& text) const {
    std::vector<Range> found;
    for (const auto& [id, range] : ranges()) {
      if (range.text == text) found.push_back(range);
    }
    return found;
  }
  /// The texts of a stack, outermost first, joined with '/'.
  [[nodiscard]] std::string stack(RangeId id) const {
    const auto all = ranges();
    std::string path;
    while (id != 0) {
      const auto found = all.find(id);
      if (found == all.end()) return "?/" + path;
      path = path.empty() ? found->second.text : found->second.text + "/" + path;
      id = found->second.record.parent;
    }
    return path;
  }

  std::string text(StringId id) {
    if (!id) return {};
    if (id == kOverflowString) return "(overflow)";
    const auto found = strings.find(id.value);
    if (found != strings.end()) return found->second;
    ++undefined_texts;
    return "(undefined)";
  }

  void on(const StringRecord& record) override { strings[record.id.value] = record.text; }
  void on(const MetaRecord& record) override { metas[std::string(record.key)] = record.value; }
  void on(const ThreadRecord& record) override {
    text(record.name);
    threads[record.id.value] = record;
  }
  void on(const DomainRecord& record) override { domains[record.id.value] = text(record.name); }
  void on(const NameRecord& record) override { names.push_back({record, text(record.name)}); }
  void on(const RangeRecord& record) override {
    recorded_ranges.push_back({record, join_text(text(record.text), record.numbers)});
    recorded_ranges.back().record.numbers = {};
  }
  void on(const MarkRecord& record) override {
    marks.push_back({record, join_text(text(record.text), record.numbers)});
    marks.back().record.numbers = {};
  }
  void on(const PayloadSchemaRecord& record) override {
    schemas.push_back({record, text(record.name), std::string(record.fields_json)});
  }
  void on(const PayloadBlobRecord& record) override {
    blobs.push_back({record, std::string(record.bytes)});
  }
  void on(const DocumentRecord& record) override {
    documents.push_back(std::string(record.kind) + ' ' + std::string(record.name) + ' ' +
                        std::string(record.bytes));
  }
  void on(const ApiRecord& record) override {
    text(record.function);
    apis.push_back(record);
  }
  void on(const KernelRecord& record) override { kernels.push_back(record); }
  void on(const ClockSyncRecord& record) override { clock_syncs.push_back(record); }
  void on(const LossRecord& record) override { losses[std::string(record.what)] += record.count; }
  void commit() override { ++commits; }
};

}  // namespace prof::collectors
