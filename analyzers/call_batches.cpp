// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/call_batches.hpp"

#include <algorithm>
#include <vector>

namespace prof {
namespace {

using Kind = dialects::RangeMeaning::Kind;

/// How far back the beginning is looked for; ranges of other threads lie between, too.
constexpr RangeId kMaxDistance = 1U << 14;
/// NCCL itself takes fewer calls in a group.
constexpr std::size_t kMaxCalls = 4096;

}  // namespace

const ParsedText* CallBatches::launched_by(const RangeRow& launch) {
  const ThreadId thread = launch.thread;
  const DomainId domain = launch.domain;
  const RangeId last = launch.id;
  const RangeId oldest = last > kMaxDistance ? last - kMaxDistance : 1;
  const ParsedText& launching = texts_.parse(launch);
  std::vector<const ParsedText*> calls;
  int inner = 0;  // batches inside that were not begun yet, going back
  for (RangeId id = last; id-- > oldest && calls.size() <= kMaxCalls;) {
    const RangeRow* row = reader_.range(id);
    if (row == nullptr || row->thread != thread || row->domain != domain) continue;
    if (row->kind != RangeRecord::Kind::kPushPop) continue;
    const ParsedText& text = texts_.parse(*row);
    if (!text.meaning.cacheable) continue;  // it would not stay
    if (text.meaning.kind == Kind::kLaunch) ++inner;
    if (text.meaning.kind == Kind::kOp && text.meaning.library) calls.push_back(&text);
    if (text.meaning.kind != Kind::kBatch) continue;
    if (inner-- > 0) continue;
    std::ranges::reverse(calls);
    return calls.empty() ? nullptr : texts_.join(launching, calls);
  }
  if (last != last_counted_) ++without_beginning_;
  last_counted_ = last;
  return nullptr;
}

}  // namespace prof
