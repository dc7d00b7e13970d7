// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Plain ranges: any text in the default domain is a name, but for those that number turns of a
// loop; texts that number steps, or that engines open around their iterations, are steps. Accepts
// every text, so it is last in the list.
#include "analyzers/dialects/registry.hpp"
#include "analyzers/dialects/words.hpp"
#include "libprof/model/step_text.hpp"

namespace prof::dialects {
namespace {

class Plain final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "plain"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    RangeMeaning meaning;
    if (!range.default_domain || range.text.empty()) return meaning;
    if (const auto step = step_number(range.text)) {
      meaning.what = StepNumber{*step};
      meaning.cacheable = false;
    } else if (is_engine_iteration(range.text)) {
      meaning.what = EngineIteration{};
    } else if (!is_turn_text(range.text)) {
      meaning.what = PlainName{std::string(range.text)};
    }
    return meaning;
  }
};

}  // namespace

void register_plain(Registry& registry);
void register_plain(Registry& registry) { registry.add(std::make_unique<Plain>()); }

}  // namespace prof::dialects
