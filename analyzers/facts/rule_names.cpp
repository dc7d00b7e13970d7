// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/rule_names.hpp"

#include <array>
#include <variant>

namespace prof {
namespace {

constexpr std::array kRuleNames = {
#define MEANING(type, what, rule, file) RuleName{what, rule, file},
#define EFFECT(name, what, rule, file) RuleName{what, rule, file},
#include "analyzers/facts/rule_names.inc"
#undef EFFECT
#undef MEANING
};

/// A meaning without a line does not compile.
struct NameOf {
#define MEANING(type, what, rule, file) \
  RuleName operator()(const type&) const { return {what, rule, file}; }
#define EFFECT(name, what, rule, file)
#include "analyzers/facts/rule_names.inc"
#undef EFFECT
#undef MEANING
};

std::string op_text(const OpRef& op) { return op == nullptr ? std::string() : op->op; }

std::string yes(bool is) { return is ? "yes" : ""; }

std::string with(std::string text, std::string_view how) {
  return text.empty() ? text : text.append(" (").append(how).append(")");
}

std::string layer_text(const Facts& facts) {
  const LayerFacts& layer = facts.layer;
  if (!layer.path.empty()) return layer.path;
  if (!layer.inherited.empty()) return with(layer.inherited, "inherited");
  return with(layer.guessed_path(), layer.is_of_process ? "of the process" : "estimated");
}

std::string node_text(const Facts& facts) {
  const BackwardFacts& node = facts.backward;
  if (!node.is_inside) return {};
  std::string text = node.is_linked ? "linked" : "forward op not known";
  if (node.has_own_ops)
    text += node.reruns_forward ? ", runs ops again" : ", calls ops of their own";
  return text;
}

std::string site_text(const Facts& facts) {
  return facts.compiled.site == nullptr ? std::string() : facts.compiled.site->ops;
}

/// The known facts of a piece of work, one per line. Ops have the names that ranges state.
struct FactText {
  std::string_view what;
  std::string (*text)(const Facts& facts);
};
constexpr std::array kFactTexts = {
    FactText{"layer", layer_text},
    FactText{"op", [](const Facts& facts) { return op_text(facts.op.reported); }},
    FactText{"innermost op", [](const Facts& facts) { return op_text(facts.op.inner); }},
    FactText{"op that owns the cost", [](const Facts& facts) { return op_text(facts.op.owner); }},
    FactText{"call of a library", [](const Facts& facts) { return op_text(facts.op.library); }},
    FactText{"op by a plain name", [](const Facts& facts) { return facts.plain_op; }},
    FactText{"direction",
             [](const Facts& facts) {
               return with(std::string(name(facts.direction)), name(facts.direction_from));
             }},
    FactText{"backward node", node_text},
    FactText{"recomputed", [](const Facts& facts) { return yes(facts.is_recomputed); }},
    FactText{"optimizer",
             [](const Facts& facts) { return yes(facts.optimizer.around != nullptr); }},
    FactText{"source line", [](const Facts& facts) { return facts.source_line; }},
    FactText{"module called", [](const Facts& facts) { return op_text(facts.module_call); }},
    FactText{"attributes of", [](const Facts& facts) { return op_text(facts.attributes); }},
    FactText{"compiled code", [](const Facts& facts) { return yes(facts.is_compiled); }},
    FactText{"compiled graph",
             [](const Facts& facts) {
               return facts.compiled.graph == nullptr ? "" : facts.compiled.graph->key;
             }},
    FactText{"generated code", site_text},
};

}  // namespace

RuleName rule_of(const Meaning& meaning) { return std::visit(NameOf{}, meaning); }

RuleName rule_of(Effect effect) {
  return kRuleNames[std::variant_size_v<Meaning> + static_cast<std::size_t>(effect)];
}

std::span<const RuleName> rule_names() { return kRuleNames; }

std::vector<FactChange> changes(const Facts& before, const Facts& after) {
  std::vector<FactChange> changed;
  for (const auto& [what, text] : kFactTexts) {
    std::string was = text(before), is = text(after);
    if (was != is) changed.push_back({what, std::move(was), std::move(is)});
  }
  return changed;
}

}  // namespace prof
