// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table/word_choice.hpp"

#include <algorithm>
#include <functional>

#include "libprof/base/ascii.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/table/shorten.hpp"

namespace prof::reports {
namespace {

// '_' separates: names of kernels are long words of many parts.
bool is_separator(char c) { return !is_letter(c) && !is_digit(c) && !is_of_other_script(c); }

bool has_digit(std::string_view text) { return text.find_first_of("0123456789") < text.size(); }

}  // namespace

std::vector<WordSpan> words_of(std::string_view text) {
  std::vector<WordSpan> words;
  for (std::size_t begin = 0; begin < text.size();) {
    WordSpan word{.begin = begin, .name = begin};
    while (word.name < text.size() && is_separator(text[word.name])) ++word.name;
    word.end = word.name;
    while (word.end < text.size() && !is_separator(text[word.end])) ++word.end;
    if (word.name == text.size()) word.name = begin;
    begin = word.end;
    words.push_back(word);
  }
  return words;
}

WordChoice::WordChoice(std::string_view text, bool more_follows)
    : text_(text), more_follows_(more_follows) {
  for (const WordSpan& place : words_of(text)) words_.push_back({place});
}

std::size_t WordChoice::at(std::size_t byte) const {
  const auto after = std::ranges::upper_bound(words_, byte, {}, &Word::end);
  const auto index = static_cast<std::size_t>(after - words_.begin());
  return std::min(index, words_.size() - 1);
}

/// Calls `visit(shown, gap)` for what is shown of each word, and whether something is left out
/// before it. The first word after a gap is shown without its separators.
template <typename Visit>
void WordChoice::visit(const Visit& visit) const {
  bool gap = false;
  for (const Word& word : words_) {
    const std::size_t begin = gap ? word.name : word.begin;
    if (word.part_begin > 0) {
      visit(text_.substr(word.part_begin, word.end - word.part_begin), true);
      gap = false;
      continue;
    }
    const std::size_t end = word.chosen ? word.end : word.part_end;
    if (end > 0) visit(text_.substr(begin, end - begin), gap);
    gap = !word.chosen;
  }
}

bool WordChoice::ends_early() const {
  return more_follows_ || (!words_.empty() && !words_.back().chosen);
}

std::size_t WordChoice::width() const {
  std::size_t width = ends_early() ? 1 : 0;
  visit([&width](std::string_view shown, bool gap) {
    width += tools::display_width(shown) + (gap ? 1 : 0);
  });
  return width;
}

std::string WordChoice::to_text() const {
  std::string text;
  visit([&text](std::string_view shown, bool gap) {
    if (gap) text += kCutMark;
    text += shown;
  });
  if (ends_early()) text += kCutMark;
  return text;
}

bool WordChoice::choose(std::size_t word, std::size_t width) {
  if (words_[word].chosen) return true;
  words_[word].chosen = true;
  words_[word].chosen = this->width() <= width;
  return words_[word].chosen;
}

void WordChoice::extend(bool forward, std::size_t width) {
  for (std::size_t step = 1; step < words_.size(); ++step) {
    const std::size_t to = forward ? step : words_.size() - 1 - step;
    const std::size_t from = forward ? to - 1 : to + 1;
    if (words_[from].chosen) choose(to, width);
  }
}

void WordChoice::choose_part(std::size_t word, std::size_t width) {
  constexpr std::size_t kLeastPart = 4;
  Word& place = words_[word];
  if (place.chosen) return;
  for (std::size_t columns = kLeastPart;; ++columns) {
    const std::string_view name = text_.substr(place.name, place.end - place.name);
    const std::string_view part = tools::prefix_of_width(name, columns);
    const std::size_t before = place.part_end;
    if (has_digit(part) || part.size() == name.size()) return;
    place.part_end = place.name + part.size();
    if (this->width() <= width) continue;
    place.part_end = before;
    return;
  }
}

void WordChoice::extend_by_part(std::size_t width) {
  const auto word = std::ranges::find(words_, false, &Word::chosen);
  const std::size_t used = this->width();
  const bool has_first = word != words_.begin() && word != words_.end();
  if (!has_first || word->part_end > 0 || used >= width) return;
  const std::string_view whole = text_.substr(word->begin, word->end - word->begin);
  const std::string_view part = tools::prefix_of_width(whole, width - used);
  // Half a number reads like another number; separators alone say nothing.
  if (part.size() <= word->name - word->begin || has_digit(part)) return;
  word->part_end = word->begin + part.size();
}

void WordChoice::extend_end_by_part(std::size_t width) {
  const auto after =
      std::find_if(words_.rbegin(), words_.rend(), [](const Word& word) { return !word.chosen; });
  if (after == words_.rbegin() || after == words_.rend() || after->part_end > 0) return;
  const std::string_view name = text_.substr(after->name, after->end - after->name);
  for (std::size_t columns = 1;; ++columns) {
    const std::string_view part = tools::suffix_of_width(name, columns);
    if (has_digit(part) || part.size() == name.size()) return;
    const std::size_t before = after->part_begin;
    if (!part.empty()) after->part_begin = after->end - part.size();
    if (this->width() <= width) continue;
    after->part_begin = before;
    return;
  }
}

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

Key key_of(std::string_view text, KeptPart kept, bool with_numbers) {
  Key key;
  const auto add_bytes = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) key.add(text, i);
  };
  for (const WordSpan& word : words_of(text)) {
    add_bytes(word.begin, word.name);
    if (with_numbers || !tools::is_ascii_digit(text[word.name])) add_bytes(word.name, word.end);
  }
  if (kept == KeptPart::kEnd) {
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
  Texts& same_words = added_[key_of(text, kept_part_, false).bytes];
  same_words.insert(key_of(text, kept_part_, true).bytes);
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
  const Key words = key_of(text, kept_part_, false);
  add_counts(wordings_.by_common_start(words.bytes), words, counts);
  if (const auto same = numbered_.find(words.bytes); same != numbered_.end()) {
    const Key whole = key_of(text, kept_part_, true);
    add_counts(same->second.by_common_start(whole.bytes), whole, counts);
  }
  return counts;
}

}  // namespace prof::reports
