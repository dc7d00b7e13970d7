// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeTexts: the meanings of ranges, by their texts or by the signatures of their op facts, each
// parsed once. Frameworks number their texts, so that all differ; a dialect that can read a
// template is called once for all its texts. In domains whose ranges have payloads, the payload is
// part of the key. Bounded: the owner calls clear() when is_large(). Counts malformed texts. One
// thread.
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
#include "analyzers/ranges/payloads.hpp"
#include "libprof/base/varint.hpp"
#include "libprof/source/text_template.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// The text is a template: only those of a framework's ops are split.
inline bool is_template(std::string_view text) {
  return text.find(kNumberPlace) != std::string_view::npos;
}

/// A text's meaning. Texts with equal ids mean the same.
struct ParsedText {
  dialects::RangeMeaning meaning;
  std::uint32_t id = 0;
  /// For a template: its texts differ in meaning, so each is parsed separately.
  bool by_text = false;
};

class RangeTexts {
 public:
  /// `max_entries` bounds each table. Ranges of `domains` are read as if they were in the default
  /// domain.
  RangeTexts(TraceReader& reader, std::size_t max_entries, std::vector<std::string> domains = {});

  /// Valid until clear(), or the next call if the meaning is not cacheable.
  const ParsedText& parse(const RangeRow& range) {
    if (range.op.signature) {
      const std::uint64_t key = signature_key(range);
      const ParsedText* const known = key < by_signature_.size() ? by_signature_[key] : nullptr;
      return known != nullptr ? *known : parse_signature(range);
    }
    if (range.domain == kDefaultDomain && range.template_id < by_id_.size()) {
      if (const ParsedText* known = by_id_[range.template_id]) return *known;
    }
    return parse_unseen(range);
  }

  /// The work that `launch`, a BatchLaunch or a FrameworkOp that joins calls, launches: `calls`, at
  /// least one LibraryCall, joined into one; null if it launches none.
  const ParsedText* join(const ParsedText& launch, std::span<const ParsedText* const> calls);

  /// The number at `position` among a text's numbers (GraphTies). False: there is none. Every range
  /// is asked, and an optional would take longer than the number.
  bool find_number(const RangeRow& range, int position, std::uint64_t& number) {
    if (position < 0) return false;
    std::string_view numbers = range.numbers.empty() ? split_numbers(range) : range.numbers;
    for (; position > 0; --position) {
      if (!take_varint(numbers, number)) return false;
    }
    return take_varint(numbers, number);
  }
  std::optional<std::uint64_t> number(const RangeRow& range, int position) {
    std::uint64_t number = 0;
    return find_number(range, position, number) ? std::optional(number) : std::nullopt;
  }

  /// Autograd's sequence number; `ties` are those of the range's meaning. False: there is none.
  bool find_sequence(const RangeRow& range, const dialects::GraphTies& ties,
                     std::uint64_t& sequence) {
    if (!range.op.signature) return find_number(range, ties.seq_at, sequence);
    sequence = range.op.sequence.value_or(0);
    return range.op.sequence.has_value();
  }
  std::optional<std::uint64_t> sequence(const RangeRow& range, const dialects::GraphTies& ties) {
    std::uint64_t sequence = 0;
    return find_sequence(range, ties, sequence) ? std::optional(sequence) : std::nullopt;
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

  /// The key of a range with an op fact: its signature, and whether it is numbered.
  static std::uint64_t signature_key(const RangeRow& range) {
    return std::uint64_t{range.op.signature.value} << 1 | (range.op.sequence ? 1 : 0);
  }

  [[nodiscard]] bool is_chosen(DomainId domain);
  const ParsedText& parse_signature(const RangeRow& range);
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

  Table texts_;                                               // of the default domain
  Table other_texts_;                                         // "DOMAIN\0TEXT" of the others
  Table templates_;                                           // of the default domain
  std::unordered_map<std::uint64_t, ParsedText> signatures_;  // by signature_key()
  Table joined_;  // by the bytes of ids: the launch and the calls it joins
  // By template id, for the default domain: meanings that do not depend on numbers or payloads.
  std::vector<const ParsedText*> by_id_;
  std::vector<const ParsedText*> by_signature_;  // by signature_key(), for small ones
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
