// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranges/range_texts.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/dialects/op_signature.hpp"

namespace prof {
namespace {

constexpr std::size_t kMaxTextBytes = 64U << 20;
constexpr std::size_t kMaxMalformedSeen = 1U << 16;
constexpr std::size_t kShownTextBytes = 200;
constexpr std::uint32_t kMaxIds = 1U << 20;

}  // namespace

RangeTexts::RangeTexts(TraceReader& reader, std::size_t max_entries,
                       std::vector<std::string> domains)
    : reader_(reader), max_entries_(max_entries), domains_(std::move(domains)), payloads_(reader) {
  dialects::register_builtin(dialects_);
}

bool RangeTexts::is_large() const {
  const std::size_t largest = std::max(
      {texts_.size(), other_texts_.size(), templates_.size(), joined_.size(), signatures_.size()});
  return largest > max_entries_ || text_bytes_ > kMaxTextBytes;
}

void RangeTexts::clear() {
  texts_.clear();
  other_texts_.clear();
  templates_.clear();
  joined_.clear();
  signatures_.clear();
  by_id_.clear();
  by_signature_.clear();
  text_bytes_ = 0;
  next_id_ = 1;
}

bool RangeTexts::is_chosen(DomainId domain) {
  if (domain == kDefaultDomain) return true;
  if (domains_.empty()) return false;
  const auto [it, is_new] = chosen_.try_emplace(domain.value);
  if (is_new)
    it->second = std::ranges::find(domains_, reader_.domain_name(domain)) != domains_.end();
  return it->second;
}

const ParsedText& RangeTexts::parse_signature(const RangeRow& range) {
  const std::uint64_t key = signature_key(range);
  const auto [it, is_new] = signatures_.try_emplace(key);
  if (!is_new) return it->second;
  if (key < kMaxIds) {
    if (key >= by_signature_.size()) by_signature_.resize(static_cast<std::size_t>(key) + 1);
    by_signature_[static_cast<std::size_t>(key)] = &it->second;
  }
  const std::string_view signature = reader_.string(range.op.signature);
  ParsedText& parsed = it->second;
  parsed.id = next_id_++;
  parsed.meaning = dialects::read_op_signature(signature, range.op.sequence.has_value());
  parsed.meaning.dialect = "op fact";
  if (!parsed.meaning.problem.empty()) note_problem(signature, parsed.meaning.problem);
  text_bytes_ += signature.size();
  return parsed;
}

const ParsedText& RangeTexts::parse_unseen(const RangeRow& range) {
  if (!is_chosen(range.domain) || payloads_.in(range.domain)) return parse_text(range, range.text);
  if (!range.numbers.empty()) return parse_template(range, range.text);
  // The source does not split texts.
  if (range.text.find('=') != std::string_view::npos && !texts_.contains(range.text)) {
    split_text(range.text, split_);
    if (!split_.numbers.empty()) return parse_template(range, split_.text);
  }
  const ParsedText& parsed = parse_text(range, range.text);
  if (&parsed != &uncached_) remember(range, parsed);
  return parsed;
}

const ParsedText& RangeTexts::parse_template(const RangeRow& range, std::string_view text) {
  const ParsedText* found = nullptr;
  if (const auto it = templates_.find(text); it != templates_.end()) {
    found = &it->second;
  } else {
    ParsedText parsed;
    if (auto meaning = dialects_.parse_template({text, {}, true})) {
      parsed.meaning = *std::move(meaning);
    } else {
      parsed.by_text = true;
    }
    found = &keep(templates_, text, std::move(parsed));
  }
  if (found->by_text) {
    whole_ = range.whole_text();
    return parse_text(range, whole_);
  }
  remember(range, *found);
  return *found;
}

void RangeTexts::remember(const RangeRow& range, const ParsedText& parsed) {
  if (range.domain != kDefaultDomain || range.template_id >= kMaxIds) return;
  if (range.template_id >= by_id_.size()) by_id_.resize(std::size_t{range.template_id} + 1);
  by_id_[range.template_id] = &parsed;
}

const ParsedText& RangeTexts::parse_text(const RangeRow& range, std::string_view text) {
  const bool is_default = is_chosen(range.domain);
  const bool has_payloads = payloads_.in(range.domain);
  const bool alone = is_default && !has_payloads;  // the text alone determines the meaning
  Table& table = alone ? texts_ : other_texts_;
  std::string_view key = text;
  const std::string_view domain = alone ? std::string_view{} : reader_.domain_name(range.domain);
  const dialects::RangePayload* payload = nullptr;
  if (!alone) {
    whole_ = range.whole_text();
    text = whole_;
    key_.assign(domain);
    key_ += '\0';
    key_ += text;
    if (has_payloads && (payload = payloads_.of(range)) != nullptr) {
      key_ += '\0';
      key_ += payloads_.key();
    }
    key = key_;
  }
  if (const auto it = table.find(key); it != table.end()) return it->second;

  ParsedText parsed;
  parsed.meaning = dialects_.parse({text, domain, is_default, payload});
  if (!parsed.meaning.problem.empty()) note_problem(text, parsed.meaning.problem);
  if (!parsed.meaning.cacheable) {
    parsed.id = next_id_++;
    uncached_ = std::move(parsed);
    return uncached_;
  }
  return keep(table, key, std::move(parsed));
}

const ParsedText* RangeTexts::join(const ParsedText& launch,
                                   std::span<const ParsedText* const> calls) {
  if (calls.size() == 1) return calls.front();
  std::string key(reinterpret_cast<const char*>(&launch.id), sizeof launch.id);
  for (const ParsedText* call : calls) {
    key.append(reinterpret_cast<const char*>(&call->id), sizeof call->id);
  }
  if (const auto it = joined_.find(key); it != joined_.end()) return &it->second;
  std::vector<const LibraryCall*> joined;
  joined.reserve(calls.size());
  for (const ParsedText* call : calls) joined.push_back(call->meaning.as<LibraryCall>());
  JoinCalls join_calls = nullptr;
  if (const auto* batch = launch.meaning.as<BatchLaunch>()) {
    join_calls = batch->join;
  } else if (const auto* op = launch.meaning.as<FrameworkOp>()) {
    join_calls = op->join_calls;
  }
  if (join_calls == nullptr) return nullptr;
  ParsedText parsed;
  parsed.meaning.what = join_calls(joined);
  return &keep(joined_, key, std::move(parsed));
}

const ParsedText& RangeTexts::keep(Table& table, std::string_view key, ParsedText parsed) {
  parsed.id = next_id_++;
  text_bytes_ += key.size();
  return table.emplace(std::string(key), std::move(parsed)).first->second;
}

std::string_view RangeTexts::split_numbers(const RangeRow& range) {
  split_text(range.text, split_);
  return split_.numbers;
}

void RangeTexts::note_problem(std::string_view text, const std::string& problem) {
  const bool full = malformed_seen_.size() >= kMaxMalformedSeen;
  if (!full && !malformed_seen_.insert(Hash{}(text)).second) return;
  if (malformed_texts_++ > 0) return;
  first_malformed_text_ = text.substr(0, kShownTextBytes);
  first_malformed_why_ = problem;
}

}  // namespace prof
