// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/plain_paths.hpp"

#include <algorithm>
#include <memory>
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

/// The role of a range for those around it.
enum class TextKind : std::uint8_t {
  kNothing,  ///< In another domain, or a library's call: no part of the tree.
  kPlain,
  kStep,    ///< Ranges in it have the names that they have outside of steps.
  kNoName,  ///< Malformed: a name, but not that of an op.
  kOther,   ///< States more than a name: the range around it is a layer.
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
  Builder(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options,
          const StepRanges& steps)
      : reader_(reader), dialects_(dialects), options_(options), steps_(steps) {
    nodes_.emplace_back();
    ranges_ = reader.thread_stacks([this](const StackFormRow& form) { return number_of(form); });
  }

  /// Reads on until it is known that what has this path is a layer. False: all is read.
  bool finds_layer(std::string_view path) {
    if (!can_find_) return false;
    for (;;) {
      if (is_layer(path)) return true;
      for (int i = 0; i < kRangesBetweenChecks; ++i) {
        if (!read()) return false;
      }
    }
  }

  void read_all() {
    while (read()) {
    }
  }
  [[nodiscard]] Status status() const { return ranges_->status(); }

  void take(Roles& roles) const {
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
  static constexpr int kRangesBetweenChecks = 256;

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

  /// The properties of ranges of one form, determined once.
  struct Form {
    TextKind kind = TextKind::kNothing;
    std::string_view text;
    bool is_checked = false;             // whether it is around steps
    std::vector<Open>* stack = nullptr;  // of its thread
    std::uint32_t last_around = kInOther;
    std::uint32_t last_node = kRoot;  // of this text there
  };

  std::uint32_t number_of(const StackFormRow& form) {
    const Form& made =
        forms_.emplace_back(Form{.kind = kind_of(form.domain, form.text, form.signature),
                                 .text = form.text,
                                 .stack = &open_[form.thread.value]});
    const bool is_name = made.kind == TextKind::kPlain || made.kind == TextKind::kNoName;
    // Several nodes may have one path, and a later one may be an op.
    if (is_name && (form.text.empty() || form.text.find(':') != std::string_view::npos)) {
      can_find_ = false;
    }
    return static_cast<std::uint32_t>(forms_.size() - 1);
  }

  bool read() {
    const StackPlaceRow* const range = ranges_->next();
    if (range != nullptr) add(*range);
    return range != nullptr;
  }

  /// By now; what is one remains one.
  [[nodiscard]] bool is_layer(std::string_view path) const {
    if (path.ends_with("...")) return false;  // cut, as LayerFacts does
    std::uint32_t at = kRoot;
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find(':', begin), path.size());
      const auto& inside = nodes_[at].inside;
      const auto found = inside.find(path.substr(begin, end - begin));
      if (found == inside.end()) return false;
      at = found->second;
      begin = end + 1;
    }
    return nodes_[at].levels >= kLayer;
  }

  void add(const StackPlaceRow& range) {
    Form& form = forms_[range.form];
    if (form.kind == TextKind::kPlain && !form.is_checked) check(form, range.id);
    std::vector<Open>& stack = *form.stack;
    while (!stack.empty() && stack.back().range != range.parent) stack.pop_back();
    const std::uint32_t around = !stack.empty() ? stack.back().node : node_of(range.parent);
    stack.push_back({range.id, enter(around, form)});
  }

  /// Ranges of a form are around steps if the first one is.
  void check(Form& form, RangeId first) {
    form.is_checked = true;
    const RangeRef range = reader_.range(first);
    if (range && steps_.is_around_step(*range)) form.kind = TextKind::kStep;
  }

  std::uint32_t enter(std::uint32_t around, Form& form) {
    if (around == kInOther || form.kind == TextKind::kNothing) return around;
    if (around == form.last_around) return form.last_node;
    const std::uint32_t node = enter(around, form.kind, form.text);
    if (node != kInOther) {
      form.last_around = around;
      form.last_node = node;
    }
    return node;
  }

  std::uint32_t enter(std::uint32_t around, TextKind kind, std::string_view text) {
    if (around == kInOther || kind == TextKind::kNothing) return around;
    if (kind == TextKind::kPlain) return enter(around, text);
    if (kind == TextKind::kNoName) {
      const std::uint32_t node = enter(around, text);
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

  /// The node of a range that is not on its thread's stack: an alias, or none.
  std::uint32_t node_of(RangeId id, int depth = 0) {
    if (id == 0) return kRoot;
    if (const auto known = aliases_.find(id); known != aliases_.end()) return known->second;
    const RangeRef alias = reader_.range(id);
    if (!alias || depth >= kMaxAliasDepth || alias->parent >= id) return kInOther;
    const std::uint32_t around = node_of(alias->parent, depth + 1);
    const RangeRef opening = alias->alias_of != 0 ? reader_.range(alias->alias_of) : alias;
    if (!opening) return kInOther;
    const TextKind kind = kind_of(opening->domain, opening->text, opening->op.signature);
    const std::uint32_t node = enter(around, kind, opening->text);
    return aliases_.emplace(id, node).first->second;
  }

  TextKind kind_of(DomainId domain, std::string_view text, StringId signature) {
    if (signature) {
      const auto [it, is_new] = signatures_.try_emplace(signature.value, TextKind::kOther);
      if (is_new) {
        it->second = prof::kind_of(dialects::read_op_signature(reader_.string(signature), false));
      }
      return it->second;
    }
    if (!is_read(domain)) return TextKind::kNothing;
    if (is_template(text)) return TextKind::kOther;
    return text_kind(text);
  }

  TextKind text_kind(std::string_view text) {
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
  const StepRanges& steps_;
  std::unique_ptr<RowCursor<const StackPlaceRow>> ranges_;
  bool can_find_ = true;  // a path leads to one node
  std::vector<Form> forms_;
  std::vector<Node> nodes_;                                    // [0]: around all
  std::unordered_map<std::uint32_t, std::vector<Open>> open_;  // by thread
  std::unordered_map<RangeId, std::uint32_t> aliases_;
  std::unordered_map<std::string, TextKind, Hash, std::equal_to<>> texts_;
  std::unordered_map<std::uint32_t, TextKind> signatures_;
};

PlainPaths::PlainPaths(TraceReader& reader, const dialects::Registry& dialects,
                       const RangeOptions& options, const StepRanges& steps)
    : builder_(std::make_unique<Builder>(reader, dialects, options, steps)) {}

PlainPaths::~PlainPaths() = default;

void PlainPaths::finish() {
  if (builder_ == nullptr) return;
  builder_->read_all();
  builder_->take(roles_);
  status_ = builder_->status();
  builder_.reset();
}

PlainRole PlainPaths::role_of(std::string_view path) {
  if (builder_ != nullptr && builder_->finds_layer(path)) return PlainRole::kLayer;
  finish();
  const auto found = roles_.find(path);
  return found == roles_.end() ? PlainRole::kLayer : found->second;
}

bool PlainPaths::name_ops() {
  finish();
  return !roles_.empty();
}

}  // namespace prof
