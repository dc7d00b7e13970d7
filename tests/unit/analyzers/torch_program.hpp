// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Fixtures for tests of attribution: a program in memory, and what its work means. TorchProgram
// has the ranges that PyTorch writes, with a thread for the forward and one for the backward pass.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/registry.hpp"
#include "libprof/source/text_template.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof::fakes {

inline constexpr std::uint32_t kForward = 1;
inline constexpr std::uint32_t kBackward = 2;

/// A row of GPU work, copied: the cursor's own lasts until the next one.
struct Row {
  OpAttribution op;
  Attribution own;
  std::string launch_layer;  ///< Of a replay of a graph.
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
      rows.push_back({*own.op, own, own.launch ? own.launch->layer : ""});
    }
    EXPECT_TRUE(cursor->status().ok());
    counts_ = cursor->counts();
    return rows;
  }

  FakeTrace trace_;
  AttributionCounts counts_;
};

class TorchProgram : public AttributedProgram {
 protected:
  void push(const std::string& text, std::uint32_t thread = kForward) { trace_.push(text, thread); }
  void pop(std::uint32_t thread = kForward, int levels = 1) {
    for (int i = 0; i < levels; ++i) trace_.pop(thread);
  }
  void launch(const std::string& text, std::uint32_t thread = kForward) {
    push(text, thread);
    trace_.kernel("kernel", 100, thread);
    pop(thread);
  }
  /// A backward node and the op that it calls.
  void node(const std::string& name, const std::string& fields, const std::string& inner) {
    push("autograd::engine::evaluate_function: " + name + ", op_id = 900", kBackward);
    push(name + fields, kBackward);
    launch(inner, kBackward);
    pop(kBackward, 2);
  }
};

}  // namespace prof::fakes
