// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/steps/around_steps.hpp"

#include <algorithm>

#include "libprof/base/ascii.hpp"

namespace prof {
namespace {

/// Programs have few texts around steps; what exceeds this names layers.
constexpr std::size_t kMaxTexts = 256;

std::string key_of(DomainId domain, std::string_view text) {
  std::string key = std::to_string(domain.value) + ":";
  for (const char c : text) key += is_digit(c) ? '0' : c;
  return key;
}

}  // namespace

bool AroundSteps::holds(const RangeRow& range) {
  if (!range.end_ns) return false;
  const auto [steps, first] = steps_.inside(range.start_ns, *range.end_ns);
  if (steps != 1) return steps > 1;
  if (!by_text_) read();
  const auto found = by_text_->find(key_of(range.domain, range.whole_text()));
  if (found == by_text_->end()) return false;
  return 2 * static_cast<std::size_t>(std::ranges::count(found->second, true)) < steps_.size();
}

void AroundSteps::read() {
  by_text_.emplace();
  reader_.thread_ranges(
      [&](DomainId domain, std::string_view text) {
        return dialects_.parse({text, {}, domain == kDefaultDomain}).is<PlainName>();
      },
      [&](const TextRangeRow& range) {
        if (!range.end_ns) return;
        const auto [steps, first] = steps_.inside(range.start_ns, *range.end_ns);
        if (steps != 1) return;
        std::string key = key_of(range.domain, range.text);
        if (by_text_->size() == kMaxTexts && !by_text_->contains(key)) return;
        Marked& marked = (*by_text_)[std::move(key)];
        marked.resize(steps_.size());
        marked[first] = true;
      });
}

}  // namespace prof
