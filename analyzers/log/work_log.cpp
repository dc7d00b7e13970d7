// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/log/work_log.hpp"

#include <span>
#include <utility>

namespace prof {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

}  // namespace

void WorkLog::add(const AttributedRow& row) {
  if (!is_usable_) return;
  RowValues values = RowValues::of(row);
  values.attribution = attributions_.add(key_of(row.attribution), row.attribution);
  values.form = forms_.add(key_of(row.gpu), row.gpu);
  append_row(values, last_, open_);
  last_ = values;
  if (open_.size() < kBlockBytes) return;
  end_block();
  is_usable_ = is_usable_ && attributions_.size() <= decltype(attributions_)::kMost &&
               forms_.size() <= decltype(forms_)::kMost;
}

void WorkLog::end_block() {
  const std::size_t size = open_.size();
  if (held_bytes_ + size <= memory_bytes_) {
    held_bytes_ += size;
    blocks_.push_back({.bytes = open_, .at = 0, .size = size});
  } else {
    blocks_.push_back({.bytes = {}, .at = file_.size(), .size = size});
    is_usable_ = file_.append(std::as_bytes(std::span(open_))).ok();
  }
  open_.clear();
}

bool WorkLog::finish(const AttributionCounts& counts) {
  if (is_usable_) end_block();
  counts_ = counts;
  std::string().swap(open_);
  return is_usable_;
}

/// Attributions are copied once for each cursor, and filled with the values of each row in place.
class WorkLog::Cursor final : public AttributedWork {
 public:
  Cursor(std::shared_ptr<const WorkLog> log, TraceReader::Work work)
      : log_(std::move(log)),
        with_copies_(work == TraceReader::Work::kKernelsAndCopies),
        rows_(log_->attributions_.size()) {}

  const AttributedRow* next() override {
    while (at_ != end_ || open_block()) {
      at_ = take_row(at_, values_);
      const GpuRow& form = log_->forms_[values_.form];
      if (!with_copies_ && form.kind != GpuRow::Kind::kKernel) continue;
      OwnRow& own = rows_[values_.attribution];
      if (own.row == nullptr) {
        own.row = std::make_unique<AttributedRow>(
            AttributedRow{.gpu = {}, .attribution = log_->attributions_[values_.attribution]});
      }
      if (own.form != values_.form) {
        own.row->gpu = form;
        own.form = values_.form;
      }
      values_.set(*own.row);
      return own.row.get();
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return status_; }
  [[nodiscard]] AttributionCounts counts() const override { return log_->counts_; }

 private:
  struct OwnRow {
    std::unique_ptr<AttributedRow> row;
    std::uint32_t form = UINT32_MAX;
  };

  /// False at the end, or after an error.
  bool open_block() {
    if (block_ == log_->blocks_.size() || !status_) return false;
    const Block& block = log_->blocks_[block_++];
    at_ = block.bytes.data();
    if (block.bytes.empty()) {
      read_.resize(block.size);
      status_ = log_->file_.read(block.at, std::as_writable_bytes(std::span(read_)));
      at_ = read_.data();
    }
    end_ = at_ + block.size;
    return status_ && block.size > 0;
  }

  std::shared_ptr<const WorkLog> log_;
  const bool with_copies_;
  std::vector<OwnRow> rows_;  // by attribution
  RowValues values_;
  std::size_t block_ = 0;  // the next one
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::string read_;  // a block of the file
  Status status_;
};

std::unique_ptr<AttributedWork> WorkLog::read(std::shared_ptr<const WorkLog> log,
                                              TraceReader::Work work) {
  return std::make_unique<Cursor>(std::move(log), work);
}

}  // namespace prof
