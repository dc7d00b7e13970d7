// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ExternalSort: sorts any number of items in bounded memory. Items are collected in a buffer; a
// full one is sorted and appended to a scratch file as a run, and the runs are merged while they
// are read. Few items never touch the disk. Equal items keep the order in which they were added.
// One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "libprof/base/check.hpp"
#include "libprof/base/result.hpp"
#include "libprof/base/scratch_file.hpp"
#include "tools/import/builder/scratch_name.hpp"

namespace prof::importers {

/// `Item` is trivially copyable and has operator<.
template <typename Item>
class ExternalSort {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  static constexpr std::size_t kDefaultBufferBytes = std::size_t{20} << 20;
  /// Read at once from each run.
  static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

  explicit ExternalSort(std::string folder, std::size_t buffer_bytes = kDefaultBufferBytes)
      : file_(scratch_in(std::move(folder))),
        capacity_(std::max<std::size_t>(buffer_bytes / sizeof(Item), 1)) {}

  Status add(const Item& item) {
    PROF_CHECK(!reading_);
    if (items_.size() == capacity_) PROF_TRY(write_run());
    if (items_.size() == items_.capacity()) {
      items_.reserve(std::min(capacity_, std::max<std::size_t>(items_.size() * 2, 64)));
    }
    items_.push_back(item);
    return {};
  }

  /// The next item in order; null at the end, or after an error (status()). Valid until the next
  /// call. After the first call, nothing can be added.
  const Item* next() {
    if (!reading_) start_reading();
    if (!status_) return nullptr;
    if (runs_.empty()) return at_ < items_.size() ? &items_[at_++] : nullptr;
    if (heap_.empty()) return nullptr;
    std::ranges::pop_heap(heap_, later());
    Run& run = runs_[heap_.back()];
    current_ = run.items[run.at++];
    if (run.at < run.items.size() || fill(run)) {
      std::ranges::push_heap(heap_, later());
    } else {
      heap_.pop_back();
    }
    return status_ ? &current_ : nullptr;
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Run {
    std::uint64_t begin = 0, end = 0;  // of its unread part in the file
    std::vector<Item> items;
    std::size_t at = 0;
  };

  /// A heap's order: the smallest item on top, of equal ones that of the older run.
  auto later() {
    return [this](std::size_t a, std::size_t b) {
      const Item& one = runs_[a].items[runs_[a].at];
      const Item& other = runs_[b].items[runs_[b].at];
      return other < one || (!(one < other) && b < a);
    };
  }

  Status write_run() {
    std::ranges::stable_sort(items_, std::less<>());
    const std::uint64_t begin = file_.size();
    PROF_TRY(file_.append(std::as_bytes(std::span(items_))));
    runs_.push_back({begin, file_.size(), {}, 0});
    items_.clear();
    return {};
  }

  void start_reading() {
    reading_ = true;
    if (runs_.empty()) {
      std::ranges::stable_sort(items_, std::less<>());
      return;
    }
    if (!items_.empty()) status_ = write_run();
    std::vector<Item>().swap(items_);
    for (std::size_t i = 0; i < runs_.size() && status_; ++i) {
      if (fill(runs_[i])) heap_.push_back(i);
    }
    if (status_) std::ranges::make_heap(heap_, later());
  }

  /// False at the run's end, or after an error.
  bool fill(Run& run) {
    const std::uint64_t most = std::max<std::uint64_t>(kReadBytes / sizeof(Item), 1);
    const std::uint64_t items = std::min((run.end - run.begin) / sizeof(Item), most);
    run.items.resize(static_cast<std::size_t>(items));
    run.at = 0;
    if (items == 0) return false;
    status_ = file_.read(run.begin, std::as_writable_bytes(std::span(run.items)));
    run.begin += items * sizeof(Item);
    return status_.ok();
  }

  ScratchFile file_;
  const std::size_t capacity_;
  std::vector<Item> items_;
  std::vector<Run> runs_;
  std::vector<std::size_t> heap_;  // indices of runs with unread items
  std::size_t at_ = 0;
  bool reading_ = false;
  Item current_{};
  Status status_;
};

}  // namespace prof::importers
