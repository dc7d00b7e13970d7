// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A dialect reads one convention for range texts: libprof's own, a framework's, or plain names. It
// is a pure function of one text and the numbers in the range's payload. It does not see the stack,
// so it does not decide which range takes precedence: the fact rules do (analyzers/facts). Results
// are cached by text and numbers; a dialect whose texts are all unique (they hold counters) says so
// with `cacheable`. How to add one: docs/add.md. Threads: dialects are stateless and may be
// called from any thread. They never throw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzers/dialects/meaning.hpp"

namespace prof::dialects {

/// Integers and texts in a range's binary payloads (NVTX's payload extension), by the field names
/// of their schema.
class RangePayload {
 public:
  virtual ~RangePayload() = default;
  /// Nullopt if the range has no such field. Unsigned 64-bit numbers keep their bit pattern.
  [[nodiscard]] virtual std::optional<std::int64_t> number(std::string_view field) const = 0;
  /// Empty if the range has no such text, or it was not kept.
  [[nodiscard]] virtual std::string_view text(std::string_view field) const = 0;

  /// A fact about an object that payloads of other ranges state.
  struct Fact {
    std::string_view key;    ///< The field that identifies the object, such as a communicator's id.
    std::string_view field;  ///< The field to look up.
    std::string_view unless;  ///< Schemas that also have this field are ignored.
  };
  /// `fact.field` of the payloads in the range's domain whose `fact.key` is the object; nullopt if
  /// they disagree.
  [[nodiscard]] virtual std::optional<std::int64_t> fact(const Fact& fact,
                                                         std::int64_t object) const = 0;
};

/// The input of a dialect.
struct RangeText {
  std::string_view text;
  std::string_view domain;                ///< The NVTX domain's name; empty for the default one.
  bool default_domain = true;             ///< Libraries open ranges in domains of their own.
  const RangePayload* payload = nullptr;  ///< Null: none was recorded.
};

/// The links between ranges of an autograd graph: numbers in their texts, given as positions among
/// the text's numbers.
struct GraphTies {
  static constexpr int kNoNumber = -1;
  int seq_at = kNoNumber;    ///< The sequence number; a node has its forward op's.
  int seq_ahead = 0;         ///< For a node: how far its number is above the forward op's.
  int op_id_at = kNoNumber;  ///< Identifies this opening.
  int input_at = kNoNumber;  ///< The first op_id among the producers of its inputs.
  /// Equal for a node and the forward op that creates such nodes, regardless of spelling.
  std::uint64_t kinship = 0;
  /// The kinds of ops with a node's number that may have created it, if none has its name.
  enum class Unnamed : std::uint8_t {
    kComposite,  ///< PyTorch's own nodes have their op's name: one that calls it.
    kOfProgram,  ///< One of the program or a library: a class of theirs may have any name.
    kAny,
  };
  Unnamed unnamed = Unnamed::kComposite;
};

/// The result of reading one text in a dialect.
struct RangeMeaning {
  Meaning what = {};
  GraphTies ties = {};
  bool cacheable = true;  ///< The result may be kept, because the same text may occur again.
  /// Not empty: the text looks like this dialect's but is malformed, and this is why. It is
  /// counted, and the range means `what` (usually a PlainName).
  std::string problem = {};
  std::string_view dialect = {};  ///< Its name. Static text, set by the registry.

  /// The alternative, or null.
  template <typename Alternative>
  [[nodiscard]] const Alternative* as() const {
    return std::get_if<Alternative>(&what);
  }
  template <typename Alternative>
  [[nodiscard]] bool is() const {
    return std::holds_alternative<Alternative>(what);
  }
  /// The op, or null if the range is not an op.
  [[nodiscard]] const OpDesc* op() const {
    if (const auto* stated = as<StatedOp>()) return stated->op.get();
    if (const auto* called = as<LibraryCall>()) return called->op.get();
    const auto* inner = as<FrameworkOp>();
    return inner != nullptr ? inner->op.get() : nullptr;
  }
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  /// One word, for documentation and messages.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// The meaning of the text, or nullopt if it is not in this dialect. Must be cheap for other
  /// dialects' texts.
  [[nodiscard]] virtual std::optional<RangeMeaning> parse(const RangeText& range) const = 0;
  /// The meaning of a template (libprof/source/text_template.hpp), whatever its numbers are: called
  /// once for all texts that differ only in numbers. nullopt: the numbers matter, or the text is
  /// another dialect's.
  [[nodiscard]] virtual std::optional<RangeMeaning> parse_template(
      const RangeText& /*range*/) const {
    return std::nullopt;
  }
};

}  // namespace prof::dialects
