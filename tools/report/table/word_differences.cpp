// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table/word_differences.hpp"

#include <algorithm>
#include <functional>

#include "tools/common/unicode.hpp"
#include "tools/report/table/word_choice.hpp"

namespace prof::reports {
namespace {

std::size_t common_start(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// A text as it is compared, and which of its bytes each byte is.
struct Key {
  std::string bytes;
  std::vector<std::size_t> origins;

  void add(std::string_view text, std::size_t origin) {
    bytes += text[origin];
    origins.push_back(origin);
  }
};

Key key_of(std::string_view text, Telling telling, bool with_numbers) {
  Key key;
  const auto add_bytes = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) key.add(text, i);
  };
  for (const WordPlace& word : words_of(text)) {
    add_bytes(word.begin, word.name);
    if (with_numbers || !tools::is_ascii_digit(text[word.name])) add_bytes(word.name, word.end);
  }
  if (telling == Telling::kEnd) {
    std::ranges::reverse(key.bytes);
    std::ranges::reverse(key.origins);
  }
  return key;
}

void add_counts(const std::vector<std::size_t>& by_common, const Key& key,
                std::vector<std::size_t>& counts) {
  if (key.origins.empty()) return;
  for (std::size_t common = 0; common < by_common.size(); ++common) {
    counts[key.origins[std::min(common, key.origins.size() - 1)]] += by_common[common];
  }
}

}  // namespace

SortedTexts::SortedTexts(const std::set<std::string, std::less<>>& texts)
    : texts_(texts.begin(), texts.end()), common_(texts.size()) {
  for (std::size_t i = 1; i < texts_.size(); ++i) {
    common_[i] = common_start(texts_[i - 1], texts_[i]);
  }
}

std::vector<std::size_t> SortedTexts::by_common_start(std::string_view text) const {
  std::vector<std::size_t> counts(text.size() + 1);
  const auto place = std::ranges::lower_bound(texts_, text);
  const auto index = static_cast<std::size_t>(place - texts_.begin());
  std::size_t common = text.size();
  for (std::size_t i = index; i < texts_.size(); ++i) {
    common = std::min(common, i == index ? common_start(text, texts_[i]) : common_[i]);
    if (texts_[i] != text) ++counts[common];
  }
  common = text.size();
  for (std::size_t i = index; i-- > 0;) {
    common = std::min(common, i + 1 == index ? common_start(text, texts_[i]) : common_[i + 1]);
    ++counts[common];
  }
  return counts;
}

void WordDifferences::add(std::string_view text) {
  Texts& same_words = added_[key_of(text, telling_, false).bytes];
  same_words.insert(key_of(text, telling_, true).bytes);
}

void WordDifferences::complete() {
  Texts wordings;
  for (const auto& [words, texts] : added_) {
    wordings.insert(words);
    if (texts.size() > 1) numbered_.emplace(words, SortedTexts(texts));
  }
  wordings_ = SortedTexts(wordings);
  added_.clear();
}

std::vector<std::size_t> WordDifferences::of(std::string_view text) const {
  std::vector<std::size_t> counts(text.size());
  const Key words = key_of(text, telling_, false);
  add_counts(wordings_.by_common_start(words.bytes), words, counts);
  if (const auto same = numbered_.find(words.bytes); same != numbered_.end()) {
    const Key whole = key_of(text, telling_, true);
    add_counts(same->second.by_common_start(whole.bytes), whole, counts);
  }
  return counts;
}

}  // namespace prof::reports
