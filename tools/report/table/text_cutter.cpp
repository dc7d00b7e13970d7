// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cutting the texts of a column, see text_cutter.hpp. Two texts differ first in one word, counted
// from the end that they keep: each shows that word, if there is room, and its neighbours show
// theirs.
#include "tools/report/table/text_cutter.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "tools/common/unicode.hpp"
#include "tools/report/table/shorten.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxRemembered = 4096;

}  // namespace

std::string_view TextCutter::cut(std::string_view text) {
  if (!compared_) compare();
  const auto known = cuts_.find(std::string(text));
  if (known != cuts_.end()) return known->second;
  const std::string form = form_of(text);
  const bool is_bare = form != text;
  rest_ = cut_form(form, is_bare);
  if (cuts_.size() >= kMaxRemembered) return rest_;
  return cuts_.emplace(text, rest_).first->second;
}

/// The text that is cut: the bare name, unless that is another text's, too.
std::string TextCutter::form_of(std::string_view text) const {
  std::string bare = bare_name(text);
  return ambiguous_.contains(bare) ? std::string(text) : bare;
}

void TextCutter::compare() {
  compared_ = true;
  std::set<std::string, std::less<>> bare_names;
  for (const std::string& text : texts_) {
    std::string bare = bare_name(text);
    const auto [name, is_new] = bare_names.insert(std::move(bare));
    if (!is_new) ambiguous_.insert(*name);
  }
  for (const std::string& text : texts_) differences_.add(form_of(text));
  differences_.complete();
  texts_.clear();
}

std::string TextCutter::cut_form(std::string_view form, bool more_follows) const {
  const std::size_t mark = more_follows ? 1 : 0;
  if (tools::display_width(form) + mark <= width_) {
    return std::string(form).append(more_follows ? kCutMark : "");
  }
  const std::vector<std::size_t> by_byte = differences_.of(form);
  const bool is_alone = std::ranges::count(by_byte, 0U) == std::ssize(by_byte);
  const bool from_end = kept_part_ == KeptPart::kEnd;
  WordChoice words(form, more_follows);
  const bool has_end = words.choose(from_end ? words.size() - 1 : 0, width_);
  if (!has_end || (is_alone && !more_follows)) {
    const Shortened rest = shorten(form, width_, kept_part_);
    return std::string(rest.head).append(kCutMark).append(rest.tail);
  }
  words.extend(!from_end, width_ / 3);
  choose_differences(by_byte, words);
  words.extend(!from_end, width_);
  words.extend(from_end, width_);
  if (from_end) {
    words.extend_end_by_part(width_);
  } else {
    words.extend_by_part(width_);
  }
  return words.to_text();
}

/// Shows the words that distinguish the text from most others first.
void TextCutter::choose_differences(const std::vector<std::size_t>& by_byte,
                                    WordChoice& words) const {
  std::vector<std::size_t> differing(words.size());
  for (std::size_t byte = 0; byte < by_byte.size(); ++byte)
    differing[words.at(byte)] += by_byte[byte];
  std::vector<std::size_t> order(words.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (kept_part_ == KeptPart::kEnd) std::ranges::reverse(order);
  std::ranges::stable_sort(order, std::greater(),
                           [&differing](std::size_t word) { return differing[word]; });
  bool all_fit = true;
  for (const std::size_t word : order) {
    if (differing[word] == 0 || words.choose(word, width_)) continue;
    if (all_fit) words.choose_part(word, width_);
    all_fit = false;
  }
}

}  // namespace prof::reports
