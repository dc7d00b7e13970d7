// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/string_interner.hpp"

#include <cstring>

#include "libprof/model/losses.hpp"

namespace prof {
namespace {

// An entry's overhead beyond its bytes (hash node, id), so that the limit holds for tiny texts too.
constexpr std::size_t kEntryBytes = 48;

}  // namespace

StringId StringInterner::intern(std::string_view text, RecordSink& sink) {
  if (text.empty()) return {};
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const std::size_t cost = text.size() + kEntryBytes;
  if (cost > cap_bytes_ - bytes_ || ids_.size() + 1 >= kOverflowString.value) {
    ++overflows_;
    return kOverflowString;
  }
  auto* const copy = static_cast<char*>(arena_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  const std::string_view kept(copy, text.size());
  const StringId id{static_cast<std::uint32_t>(ids_.size() + 1)};
  ids_.emplace(kept, id);
  bytes_ += cost;
  sink.on(StringRecord{id, kept});
  return id;
}

StringInterner::Split StringInterner::intern_split(std::string_view text, RecordSink& sink) {
  split_text(text, split_);
  const StringId id = intern(split_.text, sink);
  // Numbers are meaningless without their template.
  if (id == kOverflowString) return {id, {}};
  return {id, split_.numbers};
}

void StringInterner::report_losses(RecordSink& sink, std::int64_t now_ns) {
  if (overflows_ != 0) {
    LossRecord loss;
    loss.what = info(Loss::kStringTableFull).word;
    loss.count = overflows_;
    loss.first_ns = last_report_ns_ != 0 ? last_report_ns_ : now_ns;
    loss.last_ns = now_ns;
    sink.on(loss);
    overflows_ = 0;
  }
  last_report_ns_ = now_ns;
}

}  // namespace prof
