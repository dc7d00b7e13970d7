// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/record_batch.hpp"

#include <algorithm>

namespace prof {

template <typename Self, typename Action>
void RecordBatch::for_each_kind(Self& self, Action action) {
  const auto in_turn = [&]<Turn turn, typename... Record>(RecordList<Record...>) {
    const auto one = [&]<typename One>() {
      if constexpr (turn_of<One>() == turn) {
        action.template operator()<One>(std::get<std::vector<Kept<One>>>(self.kinds_));
      }
    };
    (one.template operator()<Record>(), ...);
  };
  in_turn.template operator()<Turn::kDefinition>(AllRecords{});
  in_turn.template operator()<Turn::kRange>(AllRecords{});
  in_turn.template operator()<Turn::kOther>(AllRecords{});
}

RecordBatch::Slice RecordBatch::keep(std::string_view text) {
  const Slice slice{text_.size(), text.size()};
  text_.append(text);
  return slice;
}

void RecordBatch::add_loss(Loss loss, std::uint64_t count, std::int64_t first_ns,
                           std::int64_t last_ns, std::string_view detail) {
  take(LossRecord{info(loss).word, count, first_ns, last_ns, detail});
}

std::size_t RecordBatch::bytes() const {
  std::size_t bytes = text_.size();
  for_each_kind(*this, [&]<typename Record>(const std::vector<Kept<Record>>& kept) {
    bytes += kept.size() * sizeof(Kept<Record>);
  });
  return bytes;
}

std::size_t RecordBatch::records() const {
  std::size_t records = 0;
  for_each_kind(*this, [&]<typename Record>(const std::vector<Kept<Record>>& kept) {
    records += kept.size();
  });
  return records;
}

std::uint64_t RecordBatch::drop_records() {
  std::uint64_t dropped = 0;
  for_each_kind(*this, [&]<typename Record>(std::vector<Kept<Record>>& kept) {
    if (turn_of<Record>() == Turn::kDefinition) return;
    dropped += kept.size();
    kept.clear();
  });
  return dropped;
}

void RecordBatch::order() {
  // Equal keys keep their order: the last record of a range counts.
  std::ranges::stable_sort(std::get<std::vector<Kept<RangeRecord>>>(kinds_), {},
                           [](const WithBytes<RangeRecord>& kept) { return kept.record.id; });
}

void RecordBatch::feed(RecordSink& sink) const {
  for_each_kind(*this, [&]<typename Record>(const std::vector<Kept<Record>>& kept) {
    for (const Kept<Record>& one : kept) sink.on(restore(one));
  });
}

void RecordBatch::clear() {
  text_.clear();
  for_each_kind(*this, []<typename Record>(std::vector<Kept<Record>>& kept) { kept.clear(); });
}

}  // namespace prof
