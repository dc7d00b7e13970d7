// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A fixture for tests of attribution: a program in memory, and what its work means.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/registry.hpp"
#include "libprof/source/text_template.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof::fakes {

/// A row of GPU work, copied: the cursor's own lasts until the next one.
struct Row {
  OpAttribution op;
  Attribution own;
};

/// What a range's text means by itself, be it told by a template or by the whole text.
inline dialects::RangeMeaning read_range(std::string_view text) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  SplitText split;
  split_text(text, split);
  if (auto meaning = registry.parse_template({split.text, {}, true})) return *meaning;
  return registry.parse({text, {}, true});
}

class AttributedProgram : public ::testing::Test {
 protected:
  std::vector<Row> attribute(const AttributorOptions& options = {}) {
    const auto cursor = attribute_work(trace_, options);
    std::vector<Row> rows;
    while (const AttributedRow* item = cursor->next()) {
      const Attribution& own = item->attribution;
      rows.push_back({*own.op, own});
    }
    EXPECT_TRUE(cursor->status().ok());
    counts_ = cursor->counts();
    return rows;
  }

  FakeTrace trace_;
  AttributionCounts counts_;
};

}  // namespace prof::fakes
