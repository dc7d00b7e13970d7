// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/plain_paths.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analyzers/dialects/op_signature.hpp"
#include "analyzers/facts/facts.hpp"
#include "analyzers/facts/plain_names.hpp"
#include "analyzers/ranges/range_texts.hpp"

namespace prof {
namespace {

/// Nested aliases, which repeat the ranges open when a capture began.
constexpr int kMaxAliasDepth = 64;

/// What a range is to those around it.
enum class TextKind : std::uint8_t {
  kNothing,  ///< Of another domain, or a library's call: no part of the tree.
  kPlain,
  kStep,    ///< What is in it has the names that it has outside of steps.
  kNoName,  ///< Malformed: a name, and that of no op.
  kOther,   ///< States more than a name: what is around it is a layer.
};

TextKind kind_of(const dialects::RangeMeaning& meaning) {
  if (meaning.is<PlainName>()) {
    return meaning.problem.empty() ? TextKind::kPlain : TextKind::kNoName;
  }
  if (meaning.is<NoMeaning>() || meaning.is<LibraryCall>() || meaning.is<TracedProgram>() ||
      meaning.is<TracedOp>() || meaning.is<BatchBegin>() || meaning.is<BatchLaunch>()) {
    return TextKind::kNothing;
  }
  if (meaning.is<StepNumber>() || meaning.is<EngineIteration>() || meaning.is<ModelCall>() ||
      meaning.is<Unmarked>()) {
    return TextKind::kStep;
  }
  const auto* const op = meaning.as<FrameworkOp>();
  return op != nullptr && op->is_library_call ? TextKind::kNothing : TextKind::kOther;
}

}  // namespace

/// Follows the stack of each thread through its ranges, in the order of their ids.
class PlainPaths::Builder {
 public:
  Builder(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options)
      : reader_(reader), dialects_(dialects), options_(options) {
    nodes_.emplace_back();
    reader.thread_ranges([](DomainId, std::string_view) { return true; },
                         [this](const TextRangeRow& range) { add(range); });
  }

  void take(std::unordered_map<std::string, PlainRole, Hash, std::equal_to<>>& roles) {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.levels >= kLayer || !names_operation(node.name)) continue;
      roles.emplace(path_of(i), node.levels == 0 ? PlainRole::kOp : PlainRole::kOpAndLayer);
    }
  }

 private:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kInOther = UINT32_MAX;  // names there are no layers
  static constexpr std::uint8_t kLayer = 2;

  struct Node {
    std::string name;
    std::uint32_t around = kRoot;
    std::uint8_t levels = 0;  // of ranges inside it; kLayer: that many, or what makes it a layer
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> inside{};
  };
  struct Open {
    RangeId range = 0;
    std::uint32_t node = kRoot;
  };

  void add(const TextRangeRow& range) {
    std::vector<Open>& stack = open_[range.thread.value];
    while (!stack.empty() && stack.back().range != range.parent) stack.pop_back();
    const std::uint32_t around = !stack.empty() ? stack.back().node : node_of(range.parent);
    stack.push_back({range.id, enter(around, range)});
  }

  std::uint32_t enter(std::uint32_t around, const TextRangeRow& range) {
    if (around == kInOther) return around;
    const TextKind kind = kind_of(range);
    if (kind == TextKind::kNothing) return around;
    if (kind == TextKind::kPlain) return enter(around, range.text);
    if (kind == TextKind::kNoName) {
      const std::uint32_t node = enter(around, range.text);
      if (node != kInOther) raise(node, kLayer);
      return node;
    }
    raise(around, kLayer);
    return kind == TextKind::kStep ? around : kInOther;
  }

  std::uint32_t enter(std::uint32_t around, std::string_view name) {
    auto& inside = nodes_[around].inside;
    if (const auto known = inside.find(name); known != inside.end()) return known->second;
    if (nodes_.size() >= kMaxPaths) {
      raise(around, kLayer);
      return kInOther;
    }
    const auto made = static_cast<std::uint32_t>(nodes_.size());
    inside.emplace(name, made);
    nodes_.push_back({.name = std::string(name), .around = around});
    raise(around, 1);
    return made;
  }

  void raise(std::uint32_t at, std::uint8_t levels) {
    for (; at != kRoot && nodes_[at].levels < levels; at = nodes_[at].around) {
      nodes_[at].levels = levels;
      levels = std::min<std::uint8_t>(levels + 1, kLayer);
    }
  }

  /// Of a range that is not on its thread's stack: an alias, or none.
  std::uint32_t node_of(RangeId id, int depth = 0) {
    if (id == 0) return kRoot;
    if (const auto known = aliases_.find(id); known != aliases_.end()) return known->second;
    const RangeRef alias = reader_.range(id);
    if (!alias || depth >= kMaxAliasDepth || alias->parent >= id) return kInOther;
    const std::uint32_t around = node_of(alias->parent, depth + 1);
    const RangeRef opening = alias->alias_of != 0 ? reader_.range(alias->alias_of) : alias;
    if (!opening) return kInOther;
    TextRangeRow row;
    row.domain = opening->domain;
    row.text = opening->text;
    row.signature = opening->op.signature;
    const std::uint32_t node = enter(around, row);
    return aliases_.emplace(id, node).first->second;
  }

  TextKind kind_of(const TextRangeRow& range) {
    if (range.signature) {
      const auto [it, is_new] = signatures_.try_emplace(range.signature.value, TextKind::kOther);
      if (is_new) {
        const std::string_view signature = reader_.string(range.signature);
        it->second = prof::kind_of(dialects::read_op_signature(signature, false));
      }
      return it->second;
    }
    if (!is_read(range.domain)) return TextKind::kNothing;
    if (is_template(range.text)) return TextKind::kOther;
    return text_kind(range.text);
  }

  TextKind text_kind(const std::string& text) {
    if (const auto known = texts_.find(text); known != texts_.end()) return known->second;
    const TextKind kind = prof::kind_of(dialects_.parse({text, {}, true}));
    if (texts_.size() < kMaxPaths) texts_.emplace(text, kind);
    return kind;
  }

  [[nodiscard]] bool is_read(DomainId domain) const {
    return domain == kDefaultDomain ||
           std::ranges::find(options_.domains, reader_.domain_name(domain)) !=
               options_.domains.end();
  }

  [[nodiscard]] std::string path_of(std::size_t at) const {
    std::vector<std::string_view> names;
    for (; at != kRoot; at = nodes_[at].around) names.push_back(nodes_[at].name);
    LayerFacts layer;
    for (auto name = names.rbegin(); name != names.rend(); ++name) layer.add_plain(*name);
    return layer.plain_path;
  }

  TraceReader& reader_;
  const dialects::Registry& dialects_;
  const RangeOptions& options_;
  std::vector<Node> nodes_;                                    // [0]: around all
  std::unordered_map<std::uint32_t, std::vector<Open>> open_;  // by thread
  std::unordered_map<RangeId, std::uint32_t> aliases_;
  std::unordered_map<std::string, TextKind> texts_;
  std::unordered_map<std::uint32_t, TextKind> signatures_;
};

PlainPaths::PlainPaths(TraceReader& reader, const dialects::Registry& dialects,
                       const RangeOptions& options) {
  Builder(reader, dialects, options).take(roles_);
}

PlainRole PlainPaths::role_of(std::string_view path) const {
  const auto found = roles_.find(path);
  return found == roles_.end() ? PlainRole::kLayer : found->second;
}

}  // namespace prof
