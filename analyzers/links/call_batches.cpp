// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/links/call_batches.hpp"

#include <algorithm>
#include <vector>

namespace prof {
namespace {

/// How far back to look for the beginning; ranges of other threads lie in between.
constexpr RangeId kMaxDistance = 1U << 14;
/// NCCL itself accepts fewer calls in a group.
constexpr std::size_t kMaxCalls = 4096;

/// Calls before it were launched with it or by themselves.
bool is_launch_range(const ParsedText& text) {
  const auto* op = text.meaning.as<FrameworkOp>();
  return op != nullptr && op->is_launch;
}

}  // namespace

const ParsedText* CallBatches::launched_by(const RangeRow& launch) {
  const RangeId last = launch.id;
  const RangeId oldest = last > kMaxDistance ? last - kMaxDistance : 1;
  const ParsedText& launching = texts_.parse(launch);
  const bool has_no_begin = !launching.meaning.is<BatchLaunch>();
  std::vector<const ParsedText*> calls;
  int inner = 0;  // nested batches whose beginning has not been reached, going backwards
  for (RangeId id = last; id-- > oldest && calls.size() <= kMaxCalls;) {
    const RangeRef row = reader_.range(id);
    if (!row || row->thread != launch.thread || row->domain != launch.domain) continue;
    if (row->kind != RangeRecord::Kind::kPushPop) continue;
    const ParsedText& text = texts_.parse(*row);
    if (!text.meaning.cacheable) continue;  // the reference would not stay valid
    if (has_no_begin && is_launch_range(text)) break;
    if (text.meaning.is<BatchLaunch>()) ++inner;
    if (text.meaning.is<LibraryCall>()) calls.push_back(&text);
    if (!text.meaning.is<BatchBegin>()) continue;
    if (inner-- > 0) continue;
    std::ranges::reverse(calls);
    return calls.empty() ? nullptr : texts_.join(launching, calls);
  }
  if (has_no_begin) {
    std::ranges::reverse(calls);
    return calls.empty() ? nullptr : texts_.join(launching, calls);
  }
  if (last != last_counted_) ++without_beginning_;
  last_counted_ = last;
  return nullptr;
}

}  // namespace prof
