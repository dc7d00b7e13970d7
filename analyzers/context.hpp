// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ContextCache: what a stack of ranges means for the work launched under it. Each opening of a
// range is looked up once; openings with equal texts on equal stacks share one context, and a
// context makes its OpAttribution once. Steps are kept out of contexts, so that a thousand steps
// have the contexts of one. All tables are bounded: trim() empties them when one is too large, and
// they fill again. Reads ranges from the reader that it is given; owned by one cursor, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analyzers/attribution.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/flat_map.hpp"
#include "analyzers/ops/registry.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

/// A distinct stack of meanings, without steps.
class Context {
 public:
  [[nodiscard]] const OpDesc* op() const { return op_.get(); }

 private:
  friend class ContextCache;

  static constexpr std::size_t kDTypes = static_cast<std::size_t>(DType::kFloat4E2M1) + 1;

  Context* around_ = nullptr;  // the context of the range below, null for the empty stack
  std::uint32_t id_ = 0;
  std::string layer_path_;               // of `layer:` ranges
  std::size_t layer_name_at_ = 0;        // where the innermost name begins in it
  std::string plain_path_;               // of plain ranges
  std::shared_ptr<const OpDesc> op_;     // set if the range itself is an op
  const Context* nearest_op_ = nullptr;  // this one or the nearest around it that is an op
  /// By the kernel's dtype, which matters only where no op states one.
  std::array<std::shared_ptr<const OpAttribution>, kDTypes> attributions_;
};

/// What one opening of a range means for work launched right under it.
struct StackMeaning {
  Context* context = nullptr;     ///< The whole stack.
  Context* attributed = nullptr;  ///< The innermost op's, or the whole stack's where there is none.
  std::uint64_t op_id = 0;        ///< The innermost op's range, 0: none.
  RangeId around_op = 0;          ///< The range around that op; leads to the next op outwards.
  std::int64_t op_end_ns = INT64_MAX;
  std::int64_t step = 0;
  bool in_step = false;
};

class ContextCache {
 public:
  /// `max_entries` bounds each table.
  ContextCache(TraceReader& reader, std::size_t max_entries);

  /// What the stack whose innermost range is `stack` means. By value: tables may move.
  StackMeaning meaning(RangeId stack);

  /// The attribution of work with that context by a kernel whose name suggests `kernel_dtype`.
  const std::shared_ptr<const OpAttribution>& attribution(Context& context, DType kernel_dtype);

  [[nodiscard]] const dialects::Registry& dialects() const { return dialects_; }

  /// Empties the tables that are too large. True if contexts that were given out became invalid.
  bool trim();

  [[nodiscard]] std::uint64_t broken_stacks() const { return broken_stacks_; }
  [[nodiscard]] std::uint64_t malformed_texts() const { return malformed_texts_; }
  [[nodiscard]] const std::string& first_malformed_text() const { return first_malformed_text_; }
  [[nodiscard]] const std::string& first_malformed_why() const { return first_malformed_why_; }

 private:
  struct Parsed {
    dialects::RangeMeaning meaning;
    std::uint32_t id = 0;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using TextTable = std::unordered_map<std::string, Parsed, TextHash, std::equal_to<>>;

  StackMeaning resolve(const RangeRow& range, const StackMeaning& below);
  const Parsed& parse(const RangeRow& range);
  void note_problem(const RangeRow& range, const std::string& problem);
  Context* child(Context* around, const Parsed& parsed);
  static void append_layer(Context& context, std::string_view name);
  std::shared_ptr<const OpAttribution> make(const Context& context, DType kernel_dtype) const;
  void start_empty();

  TraceReader& reader_;
  const std::size_t max_entries_;
  dialects::Registry dialects_;
  ops::Registry ops_;

  FlatMap<StackMeaning> stacks_;  // by range id
  FlatMap<Context*> children_;    // by (context, text) ids
  std::deque<Context> contexts_;  // addresses stay; [0] is the empty stack
  TextTable texts_;               // of the default domain
  TextTable other_texts_;         // "DOMAIN\0TEXT" of the others
  std::size_t text_bytes_ = 0;
  std::uint32_t next_text_id_ = 1;
  Parsed uncached_;
  std::string key_;
  std::vector<RangeId> pending_;

  std::uint64_t broken_stacks_ = 0;
  std::uint64_t malformed_texts_ = 0;
  std::string first_malformed_text_;
  std::string first_malformed_why_;
  std::unordered_set<std::size_t> malformed_seen_;
};

}  // namespace prof
