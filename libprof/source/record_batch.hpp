// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A batch of records, on its way from one thread to another or kept until it is needed: a sink that
// stores records, with copies of texts and bytes, and later feeds them to another sink. Definitions
// (strings, threads, domains, ...) come out before the records that use them; records of one kind
// keep their order. Threads: one at a time; a batch is moved, never shared.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libprof/model/losses.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/each_record_sink.hpp"

namespace prof {

/// Calls visit(&Record::field) for each field that points to bytes elsewhere.
template <typename Record, typename Visit>
constexpr void each_view(Visit visit) {
  RecordKind<Record>::fields([&visit]<typename Field>(std::string_view, Field field) {
    if constexpr (std::is_same_v<Field, std::string_view Record::*>) visit(field);
    if constexpr (requires { field.kField; }) visit(field.kField);
  });
}

template <typename Record>
constexpr std::size_t count_views() {
  std::size_t count = 0;
  each_view<Record>([&count](auto) { ++count; });
  return count;
}

class RecordBatch final : public EachRecordSink<RecordBatch> {
 public:
  template <typename Record>
  void take(const Record& record) {
    auto& kept = std::get<std::vector<Kept<Record>>>(kinds_);
    if constexpr (count_views<Record>() == 0) {
      kept.push_back(record);
    } else {
      WithBytes<Record>& entry = kept.emplace_back(WithBytes<Record>{record, {}});
      std::size_t next = 0;
      each_view<Record>([&](auto field) { entry.bytes[next++] = keep(record.*field); });
    }
  }
  void commit() override {}
  [[nodiscard]] Status status() const override { return {}; }

  void add_loss(Loss loss, std::uint64_t count, std::int64_t first_ns, std::int64_t last_ns,
                std::string_view detail = {});

  /// Approximate memory of the records.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t records() const;
  [[nodiscard]] bool empty() const { return records() == 0; }

  /// Drops all records except definitions and losses; returns how many.
  std::uint64_t drop_records();

  /// Puts rows with keys of their own into the order of their keys, in which tables grow densely:
  /// ranges come as they end, the inner ones first.
  void order();
  /// Passes every record to `sink`, definitions first.
  void feed(RecordSink& sink) const;
  /// Calls visit(record) for each record of one kind.
  template <typename Record, typename Visit>
  void each(Visit visit) const {
    for (const auto& kept : std::get<std::vector<Kept<Record>>>(kinds_)) visit(restore(kept));
  }
  /// Empties it, keeping its memory for reuse.
  void clear();

 private:
  struct Slice {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  template <typename Record>
  struct WithBytes {
    Record record;
    /// The bytes of its views, which are no longer valid.
    std::array<Slice, count_views<Record>()> bytes;
  };
  template <typename Record>
  using Kept = std::conditional_t<count_views<Record>() == 0, Record, WithBytes<Record>>;

  template <typename List>
  struct Vectors;
  template <typename... Record>
  struct Vectors<RecordList<Record...>> {
    using Type = std::tuple<std::vector<Kept<Record>>...>;
  };

  Slice keep(std::string_view text);
  [[nodiscard]] std::string_view view(Slice slice) const {
    return {text_.data() + slice.offset, slice.bytes};
  }
  template <typename Record>
  [[nodiscard]] const Record& restore(const Record& kept) const {
    return kept;
  }
  template <typename Record>
  [[nodiscard]] Record restore(const WithBytes<Record>& kept) const {
    Record record = kept.record;
    std::size_t next = 0;
    each_view<Record>([&](auto field) { record.*field = view(kept.bytes[next++]); });
    return record;
  }
  /// Calls action.template operator()<Record>(vector) for each kind of record, by its turn.
  template <typename Self, typename Action>
  static void for_each_kind(Self& self, Action action);

  std::string text_;
  Vectors<AllRecords>::Type kinds_;
};

}  // namespace prof
