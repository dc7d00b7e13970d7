// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A dialect reads one convention for the texts of ranges: libprof's own, a framework's, or plain
// names. It is a pure function of one text and of the numbers that the range brings with it. It
// does not see the stack, so it does not decide what wins on one: that is the context's duty
// (context.hpp). Results are cached by text and numbers; a dialect whose texts are all unique (they
// hold counters) says so by `cacheable`. How to add one: docs/add_dialect.md. Threads: dialects are
// stateless and may be asked from any thread. They never throw.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof::dialects {

/// Whole numbers that a range brings with it in binary payloads (NVTX's payload extension), by the
/// names that their schema gives its fields.
class RangePayload {
 public:
  virtual ~RangePayload() = default;
  /// Nullopt if the range has no such field. Unsigned 64-bit numbers keep their bits.
  [[nodiscard]] virtual std::optional<std::int64_t> number(std::string_view field) const = 0;

  /// A fact that payloads of other ranges tell of an object.
  struct Fact {
    std::string_view key;     ///< The field that names the object: a communicator's id, say.
    std::string_view field;   ///< What is asked for.
    std::string_view unless;  ///< Schemas that have this field, too, do not count.
  };
  /// `fact.field` of the payloads of the range's domain in whose `fact.key` the object stands;
  /// nullopt where they do not agree.
  [[nodiscard]] virtual std::optional<std::int64_t> fact(const Fact& fact,
                                                         std::int64_t object) const = 0;
};

/// What a dialect gets to see.
struct RangeText {
  std::string_view text;
  std::string_view domain;                ///< The NVTX domain's name, empty for the default one.
  bool default_domain = true;             ///< Libraries open ranges in domains of their own.
  const RangePayload* payload = nullptr;  ///< Null: none was kept.
};

/// What a range means. One thing only; `kind` says which members are set.
struct RangeMeaning {
  enum class Kind : std::uint8_t {
    kNothing,  ///< Not a layer, step or op: says nothing about the work under it.
    kPlain,    ///< A name; a layer where no better one is on the stack.
    kLayer,
    kStep,
    kOp,
    kNode,      ///< A node of an autograd graph: the backward of one forward op.
    kEvaluate,  ///< The autograd engine around a node; has no number of its own.
    kTrace,     ///< Where in the program's source the ops under it are called.
    kAttrs,   ///< What the texts of a framework's ops under it do not hold: attributes, direction.
    kBatch,   ///< What is called from here on waits for kLaunch. Batches nest.
    kLaunch,  ///< Launches what the thread called since the kBatch that it ends: see `join`.
  };
  Kind kind = Kind::kNothing;
  /// kPlain, kLayer: the name. kNode, kEvaluate: the forward op as the node's name tells it.
  /// kTrace: the place. kOp of a library: the function that was called.
  std::string name;
  std::int64_t step = 0;  ///< kStep.
  /// kOp, never null there. kNode: the node's own tensors. kAttrs: the words of the ops meant,
  /// separated by blanks, with attributes; the direction of all ops under it.
  std::shared_ptr<const OpDesc> op;
  /// kOp: an op of a framework whose ops call each other. What a person calls is the outermost one
  /// that is known, not the innermost.
  bool nested = false;
  /// kOp: what a library does for the op around it. Owns work only where there is no op around it;
  /// else it is the inner op, and tells what the op around it does not.
  bool library = false;
  /// kLaunch: makes one op of those that it launches, at least two. Never null there.
  RangeMeaning (*join)(std::span<const RangeMeaning* const> calls) = nullptr;
  bool cacheable = true;  ///< The same text may come again.
  /// Not empty: the text looks like this dialect's but is broken, and why. It is counted, and the
  /// range means what the other members say (usually kPlain).
  std::string problem;

  // What ties backward to forward: numbers that the text holds, as their positions among the text's
  // numbers, or kNoNumber.
  static constexpr int kNoNumber = -1;
  int seq = kNoNumber;     ///< The sequence number: a node has that of its forward op.
  int seq_ahead = 0;       ///< kNode: its number is that much greater than the forward op's.
  int op_id = kNoNumber;   ///< Names this opening.
  int inputs = kNoNumber;  ///< The first of the op_ids that made this one's inputs.
  /// Equal for a node and the forward op that makes such nodes, whatever their spelling.
  std::uint64_t kinship = 0;
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  /// One word, for documentation and messages.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  /// What the text means, or nullopt if it is not of this dialect. Must be cheap for texts of
  /// others.
  [[nodiscard]] virtual std::optional<RangeMeaning> parse(const RangeText& range) const = 0;
  /// The same for a template (libprof/source/text_template.hpp), whatever its numbers are: asked
  /// once for all texts that differ in them alone. nullopt: the numbers matter, or it is of another
  /// dialect.
  [[nodiscard]] virtual std::optional<RangeMeaning> parse_template(
      const RangeText& /*range*/) const {
    return std::nullopt;
  }
};

}  // namespace prof::dialects
