// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/damage.hpp"

#include <algorithm>
#include <string_view>

#include "libprof/base/count_text.hpp"
#include "libprof/model/losses.hpp"

namespace prof::importers {
namespace {

struct Words {
  std::string_view one, many, what;
};
/// In the order of Damage::Kind.
constexpr Words kWords[] = {
    {"event", "events", "without a name, left out"},
    {"event", "events", "without a time, left out"},
    {"event", "events", "with a duration that is not a number, left out"},
    {"event", "events", "of a negative duration, left out"},
    {"op", "ops", "without an end, taken as ended at the start"},
    {"event", "events", "without numbers of process and thread, left out"},
    {"op", "ops", "without a name, kept as plain ranges"},
    {"byte", "bytes", "in texts that are not UTF-8, replaced by '?'"},
    {"control character", "control characters", "in texts, replaced by '?'"},
    {"half", "halves", "of UTF-16 pairs in texts, replaced by U+FFFD"},
    {"number", "numbers", "that are NaN or infinite, taken as unknown"},
    {"number", "numbers", "that are larger than any of its kind, taken as unknown"},
};

}  // namespace

bool Damage::any() const {
  return std::ranges::any_of(counts_, [](std::uint64_t count) { return count != 0; });
}

std::string Damage::text() const {
  std::string text;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (counts_[kind] == 0) continue;
    const Words& words = kWords[kind];
    text.append(text.empty() ? "" : "; ").append(count_text(counts_[kind], words.one, words.many));
    text.append(" ").append(words.what);
  }
  return text;
}

void Damage::report(RecordSink& sink) const {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (counts_[kind] == 0) continue;
    const std::string detail = std::string(kWords[kind].many).append(" ").append(kWords[kind].what);
    LossRecord loss;
    loss.what = info(Loss::kDamagedEvent).word;
    loss.count = counts_[kind];
    loss.detail = detail;
    sink.on(loss);
  }
}

}  // namespace prof::importers
