// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WordChoice: the words of a text that are shown, with a mark for each gap.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/report/table/shorten.hpp"

namespace prof::reports {

/// A run of letters and digits with the separators before it, in bytes of a text.
struct WordSpan {
  std::size_t begin = 0;
  std::size_t name = 0;  ///< After the separators.
  std::size_t end = 0;
};

/// The words of a text without gaps; separators that end it are the last one's name.
std::vector<WordSpan> words_of(std::string_view text);

class WordChoice {
 public:
  /// `more_follows`: the text is the start of one, of which no more is shown.
  WordChoice(std::string_view text, bool more_follows);

  [[nodiscard]] std::size_t size() const { return words_.size(); }
  /// The word of a byte of the text.
  [[nodiscard]] std::size_t at(std::size_t byte) const;

  /// Shows a word if the text then fits into `width` columns. False: it does not.
  bool choose(std::size_t word, std::size_t width);
  /// Shows the start of a word's name instead, if there is room for a part that says something.
  void choose_part(std::size_t word, std::size_t width);
  /// Shows words next to chosen ones while the text fits: forward or backward from each.
  void extend(bool forward, std::size_t width);
  /// Shows the start of the word after the first ones, if there is room.
  void extend_by_part(std::size_t width);
  /// Shows the end of the word before the last ones, if there is room.
  void extend_end_by_part(std::size_t width);

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] std::size_t width() const;

 private:
  struct Word : WordSpan {
    bool chosen = false;
    // For a word that is not chosen: where its shown start ends, or its shown end begins. 0:
    // nowhere.
    std::size_t part_end = 0, part_begin = 0;
  };
  template <typename Visit>
  void visit(const Visit& visit) const;

  [[nodiscard]] bool ends_early() const;

  std::string_view text_;
  bool more_follows_;
  std::vector<Word> words_;
};

// WordDifferences: where a text differs first from others of its column, counted from the end that
// cut texts keep. Words say more to people than numbers: texts that differ in both count as
// different at the word.

/// Texts by their beginnings.
class SortedTexts {
 public:
  SortedTexts() = default;
  explicit SortedTexts(const std::set<std::string, std::less<>>& texts);

  /// How many of the texts other than `text` share just so many bytes with its start.
  [[nodiscard]] std::vector<std::size_t> by_common_start(std::string_view text) const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::size_t> common_;  // For each text: bytes in common with the one before.
};

class WordDifferences {
 public:
  explicit WordDifferences(KeptPart kept) : kept_part_(kept) {}

  void add(std::string_view text);
  void complete();

  /// For each byte of a text, how many others differ first there.
  [[nodiscard]] std::vector<std::size_t> of(std::string_view text) const;

 private:
  using Texts = std::set<std::string, std::less<>>;

  KeptPart kept_part_;
  std::map<std::string, Texts, std::less<>> added_;  // By what is left without numbers.
  SortedTexts wordings_;
  std::map<std::string, SortedTexts, std::less<>> numbered_;
};

}  // namespace prof::reports
