// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordSort: sorts any number of byte strings in bounded memory. Each has a rank, and a comparison
// that decides between equal ranks. Records beyond the memory limit go to a scratch file as sorted
// runs, which are merged while they are read. Equal records keep the order in which they were
// added. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/check.hpp"
#include "libprof/base/result.hpp"
#include "libprof/base/scratch_file.hpp"

namespace prof {

/// Lower ranks come first.
struct SortedRecord {
  std::uint64_t rank = 0;
  std::string_view bytes;
};

/// `Before(a, b)` compares the bytes of two records of equal rank.
template <typename Before>
class RecordSort {
 public:
  explicit RecordSort(std::size_t memory_bytes, Before before = {},
                      ScratchPlace place = temporary_place())
      : file_(std::move(place)), before_(std::move(before)), memory_bytes_(memory_bytes) {}

  Status add(std::uint64_t rank, std::string_view bytes) {
    PROF_CHECK(!reading_);
    if (held_bytes_ + held_by(bytes) > memory_bytes_ && !records_.empty()) PROF_TRY(write_run());
    held_bytes_ += held_by(bytes);
    records_.push_back({rank, copy(bytes)});
    return {};
  }

  /// The next record in order; null at the end, or after an error (status()). Valid until the next
  /// call. After the first call, nothing can be added.
  const SortedRecord* next() {
    if (!reading_) start_reading();
    if (!status_) return nullptr;
    if (runs_.empty()) return at_ < records_.size() ? &records_[at_++] : nullptr;
    if (is_out_) advance();
    if (heap_.empty() || !status_) return nullptr;
    is_out_ = true;
    return &runs_[heap_.front()].record;
  }

  /// next() begins anew, with the first record.
  void rewind() {
    at_ = 0;
    is_out_ = false;
    heap_.clear();
    for (Run& run : runs_) run = {run.first, run.first, run.end, {}, 0, {}};
    if (reading_ && !runs_.empty()) start_merge();
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
  /// Read at once from each run.
  static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

  /// In the file, in front of a record's bytes.
  struct Head {
    std::uint64_t rank = 0;
    std::uint64_t size = 0;
  };
  struct Run {
    std::uint64_t first = 0;           // where it begins in the file
    std::uint64_t begin = 0, end = 0;  // of its unread part
    std::string buffer;
    std::size_t at = 0;  // the first byte behind the record
    SortedRecord record;
  };

  // Sorting takes half a record's entry more.
  static std::size_t held_by(std::string_view bytes) {
    return bytes.size() + sizeof(SortedRecord) * 3 / 2;
  }

  std::string_view copy(std::string_view bytes) {
    if (bytes.size() > room_) {
      room_ = std::max(kChunkBytes, bytes.size());
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(room_));
      free_ = chunks_.back().get();
    }
    char* const begin = free_;
    std::copy(bytes.begin(), bytes.end(), begin);
    free_ += bytes.size();
    room_ -= bytes.size();
    return {begin, bytes.size()};
  }

  [[nodiscard]] bool comes_before(const SortedRecord& a, const SortedRecord& b) const {
    return a.rank != b.rank ? a.rank < b.rank : before_(a.bytes, b.bytes);
  }

  void sort() {
    const auto before = [this](const SortedRecord& a, const SortedRecord& b) {
      return comes_before(a, b);
    };
    // Work often comes in order.
    if (!std::ranges::is_sorted(records_, before)) std::ranges::stable_sort(records_, before);
  }

  Status write_run() {
    sort();
    const std::uint64_t begin = file_.size();
    std::string buffer;
    for (const SortedRecord& record : records_) {
      const Head head{record.rank, record.bytes.size()};
      buffer.append(reinterpret_cast<const char*>(&head), sizeof head).append(record.bytes);
      if (buffer.size() < kChunkBytes) continue;
      PROF_TRY(file_.append(std::as_bytes(std::span(buffer))));
      buffer.clear();
    }
    PROF_TRY(file_.append(std::as_bytes(std::span(buffer))));
    runs_.push_back({begin, begin, file_.size(), {}, 0, {}});
    records_.clear();
    chunks_.clear();
    room_ = held_bytes_ = 0;
    return {};
  }

  /// A heap's order: the first record on top, of equal ones that of the older run.
  auto later() {
    return [this](std::size_t a, std::size_t b) {
      const SortedRecord& one = runs_[a].record;
      const SortedRecord& other = runs_[b].record;
      return comes_before(other, one) || (!comes_before(one, other) && b < a);
    };
  }

  void start_reading() {
    reading_ = true;
    if (runs_.empty()) return sort();
    if (!records_.empty()) status_ = write_run();
    std::vector<SortedRecord>().swap(records_);
    start_merge();
  }

  void start_merge() {
    for (std::size_t i = 0; i < runs_.size() && status_; ++i) {
      if (read_record(runs_[i])) heap_.push_back(i);
    }
    if (status_) std::ranges::make_heap(heap_, later());
  }

  void advance() {
    is_out_ = false;
    std::ranges::pop_heap(heap_, later());
    if (read_record(runs_[heap_.back()])) {
      std::ranges::push_heap(heap_, later());
    } else {
      heap_.pop_back();
    }
  }

  /// False at the run's end, or after an error.
  bool read_record(Run& run) {
    if (run.at == run.buffer.size() && run.begin == run.end) return false;
    Head head;
    if (!fill(run, sizeof head)) return false;
    std::memcpy(&head, run.buffer.data() + run.at, sizeof head);
    if (!fill(run, sizeof head + head.size)) return false;
    run.record = {head.rank, std::string_view(run.buffer).substr(run.at + sizeof head, head.size)};
    run.at += sizeof head + head.size;
    return true;
  }

  /// Makes the buffer hold that many unread bytes. False after an error.
  bool fill(Run& run, std::size_t bytes) {
    const std::size_t unread = run.buffer.size() - run.at;
    if (unread >= bytes) return true;
    run.buffer.erase(0, run.at);
    run.at = 0;
    const std::size_t more =
        std::min<std::uint64_t>(std::max(bytes - unread, kReadBytes), run.end - run.begin);
    run.buffer.resize(unread + more);
    status_ = file_.read(run.begin, std::as_writable_bytes(std::span(run.buffer).subspan(unread)));
    run.begin += more;
    return status_.ok();
  }

  ScratchFile file_;
  Before before_;
  const std::size_t memory_bytes_;
  std::vector<SortedRecord> records_;  // not yet in the file; their bytes are in the chunks
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t room_ = 0;  // from there
  std::size_t held_bytes_ = 0;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // indices of runs with unread records
  std::size_t at_ = 0;
  bool reading_ = false;
  bool is_out_ = false;  // the record on top was handed out
  Status status_;
};

/// For records whose order is their ranks' alone.
struct NeverBefore {
  bool operator()(std::string_view, std::string_view) const { return false; }
};

}  // namespace prof
