// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TextCutter: cuts the texts of one column so that its rows stay distinguishable. A cut text keeps
// its start (a path its end) and the words in which it differs from most other texts of the column:
// "vectorized…FillFunctor<float…". Of C++ functions, return type, namespaces and parameters go
// first.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/report/table/shorten.hpp"
#include "tools/report/table/word_choice.hpp"

namespace prof::reports {

class TextCutter {
 public:
  TextCutter(KeptPart kept, std::size_t width)
      : kept_part_(kept), width_(width), differences_(kept) {}

  /// A text that is wider than the column. It must be printable, as those of `cut` must.
  void add(std::string_view text) { texts_.emplace(text); }

  /// `text` in at most the column's width; the same for the same texts added, in whatever order.
  /// Valid until the next call.
  std::string_view cut(std::string_view text);

 private:
  void compare();
  [[nodiscard]] std::string form_of(std::string_view text) const;
  [[nodiscard]] std::string cut_form(std::string_view form, bool more_follows) const;
  void choose_differences(const std::vector<std::size_t>& by_byte, WordChoice& words) const;

  KeptPart kept_part_;
  std::size_t width_;
  std::set<std::string, std::less<>> texts_;
  bool compared_ = false;
  std::set<std::string, std::less<>> ambiguous_;  // Bare names of several texts.
  WordDifferences differences_;
  std::unordered_map<std::string, std::string> cuts_;
  std::string rest_;
};

}  // namespace prof::reports
