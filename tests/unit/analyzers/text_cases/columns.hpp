// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of text cases for what is attributed: a column for each fact of a row, a name for each
// count. Unknown and empty are "-".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzers/attributed_work.hpp"

namespace prof::text_cases {

/// Names of op instances: those that a program gave to its ranges, else A, B, ... in the order of
/// the rows.
class InstanceNames {
 public:
  explicit InstanceNames(const std::map<std::uint64_t, std::string>& stated) : names_(stated) {}
  std::string of(std::uint64_t id);

 private:
  std::map<std::uint64_t, std::string> names_;
  std::size_t count_ = 0;
};

using Column = std::function<std::string(const AttributedRow&, InstanceNames&)>;

/// Null: there is no such column.
const Column* column(std::string_view name);

/// Nullopt: there is no such count.
std::optional<std::string> count(const AttributionCounts& counts, std::string_view name);

}  // namespace prof::text_cases
