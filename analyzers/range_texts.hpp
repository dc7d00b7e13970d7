// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeTexts: what range texts mean, each parsed once. Frameworks number their texts, so that all
// are different; a dialect that can read a template is asked once for all texts of it. In domains
// whose ranges have payloads, a text with other payloads is another text. Bounded:
// the owner calls clear() when is_large(). Counts texts that are broken. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/payloads.hpp"
#include "libprof/base/varint.hpp"
#include "libprof/source/text_template.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

/// A text's meaning. Texts with equal ids mean the same.
struct ParsedText {
  dialects::RangeMeaning meaning;
  std::uint32_t id = 0;
  /// Of a template: its texts differ in meaning, each has to be parsed for itself.
  bool by_text = false;
};

class RangeTexts {
 public:
  /// `max_entries` bounds each table. Ranges of `domains` are read as if they were of the default
  /// one.
  RangeTexts(TraceReader& reader, std::size_t max_entries, std::vector<std::string> domains = {});

  /// Valid until clear(), or the next call if the meaning is not cacheable.
  const ParsedText& parse(const RangeRow& range) {
    if (range.domain == kDefaultDomain && range.template_id < by_id_.size()) {
      if (const ParsedText* known = by_id_[range.template_id]) return *known;
    }
    return parse_unseen(range);
  }

  /// What `launch`, of kind kLaunch, launches: `calls`, at least one, joined to one op.
  const ParsedText* join(const ParsedText& launch, std::span<const ParsedText* const> calls);

  /// The number at a position among a text's numbers (RangeMeaning::seq ...).
  std::optional<std::uint64_t> number(const RangeRow& range, int position) {
    if (position < 0) return std::nullopt;
    std::string_view numbers = range.numbers.empty() ? split_numbers(range) : range.numbers;
    for (; position > 0; --position) {
      if (!take_varint(numbers)) return std::nullopt;
    }
    return take_varint(numbers);
  }

  [[nodiscard]] const dialects::Registry& dialects() const { return dialects_; }

  [[nodiscard]] bool is_large() const;
  void clear();

  [[nodiscard]] std::uint64_t malformed_texts() const { return malformed_texts_; }
  [[nodiscard]] const std::string& first_malformed_text() const { return first_malformed_text_; }
  [[nodiscard]] const std::string& first_malformed_why() const { return first_malformed_why_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Table = std::unordered_map<std::string, ParsedText, Hash, std::equal_to<>>;

  [[nodiscard]] bool is_chosen(DomainId domain);
  const ParsedText& parse_unseen(const RangeRow& range);
  const ParsedText& parse_template(const RangeRow& range, std::string_view text);
  const ParsedText& parse_text(const RangeRow& range, std::string_view text);
  const ParsedText& keep(Table& table, std::string_view key, ParsedText parsed);
  void remember(const RangeRow& range, const ParsedText& parsed);
  std::string_view split_numbers(const RangeRow& range);
  void note_problem(std::string_view text, const std::string& problem);

  TraceReader& reader_;
  const std::size_t max_entries_;
  const std::vector<std::string> domains_;
  std::unordered_map<std::uint32_t, bool> chosen_;  // by domain id
  dialects::Registry dialects_;
  Payloads payloads_;

  Table texts_;        // of the default domain
  Table other_texts_;  // "DOMAIN\0TEXT" of the others
  Table templates_;    // of the default domain
  Table joined_;       // by the bytes of ids: of what launches and of what it joins
  // By template id: what needs no look at numbers or payloads. Of the default domain.
  std::vector<const ParsedText*> by_id_;
  std::size_t text_bytes_ = 0;
  std::uint32_t next_id_ = 1;
  ParsedText uncached_;
  std::string key_, whole_;
  SplitText split_;

  std::uint64_t malformed_texts_ = 0;
  std::string first_malformed_text_;
  std::string first_malformed_why_;
  std::unordered_set<std::size_t> malformed_seen_;
};

}  // namespace prof
