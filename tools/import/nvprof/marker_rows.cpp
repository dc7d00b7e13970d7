// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX: ranges and marks. A range is two rows with the same id; a third one, in another table, has
// its colour, category and payload.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libprof/model/losses.hpp"
#include "tools/import/nvprof/tables.hpp"

namespace prof::importers::nvprof {
namespace {

/// More domains than any program has, or ranges of one id than a file has processes, are damage.
constexpr std::size_t kMaxDomains = 1U << 16;
constexpr std::size_t kMaxOpen = 4096;

enum Flag : std::uint32_t { kMoment = 1, kRangeStart = 2, kRangeEnd = 4 };

enum Marker : std::size_t { kId, kMarkerFlags, kTime, kOwnerKind, kOwner, kText, kDomain };
constexpr std::array<std::string_view, kDomain + 1> kMarkerColumns = {
    "id", "flags", "timestamp", "objectKind", "objectId", "name", "domain"};

enum Data : std::size_t { kDataId, kDataFlags, kPayloadKind, kPayload, kColor, kCategory };
constexpr std::array<std::string_view, kCategory + 1> kDataColumns = {
    "id", "flags", "payloadKind", "payload", "color", "category"};

/// By its kind, a CUpti_MetricValueKind. Of an event without a payload nvprof writes the number 0.
Payload payload_of(std::uint32_t kind, std::string_view bytes) {
  constexpr std::array kTypes = {Payload::Type::kDouble, Payload::Type::kUint64,
                                 Payload::Type::kNone, Payload::Type::kNone, Payload::Type::kInt64};
  Payload payload;
  if (kind >= kTypes.size() || bytes.size() < sizeof(payload.bits)) return payload;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&payload.bits, bytes.data(), sizeof(payload.bits));
  if (payload.bits != 0) payload.type = kTypes[kind];
  if (payload.type == Payload::Type::kNone) payload.bits = 0;
  return payload;
}

class Markers {
 public:
  explicit Markers(Target& target) : target_(target) {}

  Status read(TableFile& file) {
    if (file.has(kMarkerData)) PROF_TRY(open_data(file));
    // A range's start comes before its end.
    auto rows = file.rows(kMarkers, kMarkerColumns, "", std::span(kMarkerColumns).first(kTime + 1));
    if (!rows) return rows.error();
    PROF_TRY(
        take_rows(*rows, kMarkers, target_.findings, [this](TableRows& row) { return take(row); }));
    PROF_TRY(pass_open());
    report_ends_alone();
    return {};
  }

 private:
  struct Open {
    Slice slice;
    std::uint32_t pid = 0;
  };

  Status take(TableRows& row) {
    const auto id = row.integer(kId);
    const auto flags = number_of(row, kMarkerFlags);
    const auto time_ns = row.integer(kTime);
    if (!id || !flags || !time_ns) {
      target_.findings.damaged(kMarkers, "without an id, a kind or a time, left out");
      return {};
    }
    const auto owner = object_of(row, kOwnerKind, kOwner);
    if (!owner) {
      target_.findings.damaged(kMarkers, "of no thread or process, left out");
      return {};
    }
    if (id_ != *id) {
      PROF_TRY(pass_open());
      id_ = *id;
    }
    if ((*flags & kRangeEnd) != 0) return take_end(*owner, *time_ns);
    if ((*flags & (kMoment | kRangeStart)) == 0) {
      target_.findings.other_row("CUPTI_ACTIVITY_KIND_MARKER of user-defined synchronization");
      return {};
    }
    if (!target_.owner.owns_process(owner->pid)) return {};
    return take_start(row, *owner, *time_ns, (*flags & kRangeStart) != 0);
  }

  Status take_start(TableRows& row, const ObjectId& owner, std::int64_t time_ns, bool is_range) {
    Open open;
    open.pid = owner.pid;
    Slice& slice = open.slice;
    slice.kind = is_range ? Slice::Kind::kRange : Slice::Kind::kMark;
    slice.start_ns = time_ns;
    slice.end_ns = is_range ? Slice::kNeverEnded : time_ns;
    slice.thread = thread_of(owner);
    if (is_range && !slice.thread) slice.kind = Slice::Kind::kProcessRange;
    slice.domain = domain_of(row);
    PROF_TRY(add_data(slice));
    const auto text = text_of(row, kText, target_.texts);
    if (!text) target_.findings.damaged(kMarkers, "whose text is missing, kept without it");
    PROF_TRY(target_.builder.set_text(slice, text.value_or("")));
    if (!is_range) return target_.builder.add(slice);
    if (open_.size() == kMaxOpen) PROF_TRY(pass_open());
    open_.push_back(open);
    return {};
  }

  /// The start is before it, as rows are sorted. Ids are of a process: several may use one.
  Status take_end(const ObjectId& owner, std::int64_t time_ns) {
    if (!target_.owner.owns_process(owner.pid)) return {};
    const auto begun =
        std::ranges::find_if(open_, [&](const Open& open) { return open.pid == owner.pid; });
    if (begun == open_.end()) {
      ++ends_alone_;
      return {};
    }
    Slice slice = begun->slice;
    open_.erase(begun);
    slice.end_ns = time_ns;
    if (slice.end_ns < slice.start_ns) {
      target_.findings.damaged(kMarkers, "with an end before the start, left out");
      return {};
    }
    // Only nvtxRangeEnd() ends a range of another thread.
    const ThreadId thread = thread_of(owner);
    if (thread != slice.thread) {
      slice.kind = Slice::Kind::kProcessRange;
      slice.end_thread = thread;
    }
    return target_.builder.add(slice);
  }

  Status pass_open() {
    for (const Open& open : open_) PROF_TRY(target_.builder.add(open.slice));
    open_.clear();
    return {};
  }

  [[nodiscard]] ThreadId thread_of(const ObjectId& owner) const {
    if (!owner.is_thread) return {};
    return target_.builder.thread(owner.pid, owner.tid);
  }

  DomainId domain_of(TableRows& row) {
    const std::int64_t number = row.integer(kDomain).value_or(0);
    if (number == 0) return kDefaultDomain;
    if (const auto known = target_.domains.find(number); known != target_.domains.end()) {
      return known->second;
    }
    const auto name = text_of(row, kDomain, target_.texts);
    if (!name) target_.findings.damaged(kMarkers, "of a domain without a name, kept");
    if (name == "" || target_.domains.size() == kMaxDomains) return kDefaultDomain;
    const auto next = static_cast<std::uint32_t>(target_.domains.size());
    const DomainId domain{kDefaultDomain.value + 1 + next};
    target_.domains.emplace(number, domain);
    target_.sink.on(DomainRecord{domain, target_.builder.text(name.value_or(""))});
    return domain;
  }

  /// The table does not say whose marker it means: ids of several processes are the same.
  Status open_data(TableFile& file) {
    if (target_.owner.is_only()) {
      auto data = file.rows(kMarkerData, kDataColumns, "", {&kDataColumns[kDataId], 1});
      if (!data) return data.error();
      data_.emplace(std::move(*data));
      return next_data();
    }
    const auto rows = file.count(kMarkerData, "");
    if (!rows) return rows.error();
    if (target_.owner.is_first() && *rows != 0) target_.findings.other_table(kMarkerData, *rows);
    return {};
  }

  /// Both tables are read in the order of ids.
  Status add_data(Slice& slice) {
    while (has_data_ && data_id_ < id_) PROF_TRY(next_data());
    if (!has_data_ || data_id_ != id_) return {};
    constexpr std::uint32_t kHasColor = 2;
    const bool has_color = (number_of(*data_, kDataFlags).value_or(0) & kHasColor) != 0;
    if (has_color) slice.color_argb = number_of(*data_, kColor).value_or(0);
    slice.category = number_of(*data_, kCategory).value_or(0);
    const std::uint32_t kind = number_of(*data_, kPayloadKind).value_or(0);
    slice.payload = payload_of(kind, data_->blob(kPayload));
    constexpr std::uint32_t kExtended = 6;
    if (kind == kExtended) target_.findings.payload();
    return {};
  }

  Status next_data() {
    while ((has_data_ = data_->next())) {
      const auto id = data_->integer(kDataId);
      if (id) {
        data_id_ = *id;
        return {};
      }
      target_.findings.damaged(kMarkerData, "without an id, left out");
    }
    return data_->status();
  }

  void report_ends_alone() {
    if (ends_alone_ == 0) return;
    LossRecord record;
    record.what = info(Loss::kUnknownRangeEnd).word;
    record.count = ends_alone_;
    target_.sink.on(record);
  }

  Target& target_;
  std::optional<std::int64_t> id_;  // of the rows before
  std::vector<Open> open_;          // of that id
  std::optional<TableRows> data_;
  bool has_data_ = false;  // a row is there that is not passed
  std::int64_t data_id_ = 0;
  std::uint64_t ends_alone_ = 0;
};

}  // namespace

Status read_markers(TableFile& file, Target& target) {
  return file.has(kMarkers) ? Markers(target).read(file) : Status();
}

}  // namespace prof::importers::nvprof
