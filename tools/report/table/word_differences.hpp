// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WordDifferences: where a text differs first from others of its column, counted from the end that
// cut texts keep. Words tell people more than numbers: texts that differ in both count as different
// at the word.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/table/shorten.hpp"

namespace prof::reports {

/// Texts by their beginnings.
class SortedTexts {
 public:
  SortedTexts() = default;
  explicit SortedTexts(const std::set<std::string, std::less<>>& texts);

  /// How many of the texts other than `text` share just so many bytes with its start.
  [[nodiscard]] std::vector<std::size_t> by_common_start(std::string_view text) const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::size_t> common_;  // Of each text: bytes in common with the one before.
};

class WordDifferences {
 public:
  explicit WordDifferences(Telling telling) : telling_(telling) {}

  void add(std::string_view text);
  void complete();

  /// Of each byte of a text, how many others differ first there.
  [[nodiscard]] std::vector<std::size_t> of(std::string_view text) const;

 private:
  using Texts = std::set<std::string, std::less<>>;

  Telling telling_;
  std::map<std::string, Texts, std::less<>> added_;  // By what is left without numbers.
  SortedTexts wordings_;
  std::map<std::string, SortedTexts, std::less<>> numbered_;
};

}  // namespace prof::reports
