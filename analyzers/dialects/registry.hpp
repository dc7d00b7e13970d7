// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The dialects in the order in which they are tried: the first that accepts a text decides. The
// list is in analyzers/CMakeLists.txt.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analyzers/dialects/dialect.hpp"

namespace prof::dialects {

class Registry {
 public:
  void add(std::unique_ptr<const Dialect> dialect) { dialects_.push_back(std::move(dialect)); }

  [[nodiscard]] RangeMeaning parse(const RangeText& range) const {
    for (const auto& dialect : dialects_) {
      if (auto meaning = dialect->parse(range)) {
        meaning->dialect = dialect->name();
        return *std::move(meaning);
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<RangeMeaning> parse_template(const RangeText& range) const {
    for (const auto& dialect : dialects_) {
      if (auto meaning = dialect->parse_template(range)) {
        meaning->dialect = dialect->name();
        return meaning;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] const std::vector<std::unique_ptr<const Dialect>>& dialects() const {
    return dialects_;
  }

 private:
  std::vector<std::unique_ptr<const Dialect>> dialects_;
};

/// Adds every dialect of the list, in its order.
void register_builtin(Registry& registry);

}  // namespace prof::dialects
