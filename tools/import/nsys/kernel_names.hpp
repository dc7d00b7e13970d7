// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// KernelNames: what a kernel is called, of the names that nsys gives it. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/tables/table_texts.hpp"

namespace prof::importers::nsys {

class KernelNames {
 public:
  KernelNames(TableTexts& texts, TraceBuilder& builder) : texts_(texts), builder_(builder) {}

  /// Ids of texts, as a row has them.
  struct Ids {
    std::optional<std::int64_t> mangled, demangled, brief;
  };
  /// The mangled name, from which reports make the others; nsys's demangled one if there is none,
  /// as in older versions, or if it is one that only nvcc's own demangler reads. None: no name.
  StringId of(const Ids& ids);

 private:
  StringId first_of(const Ids& ids);
  bool is_unreadable(std::int64_t mangled);

  TableTexts& texts_;
  TraceBuilder& builder_;
  std::unordered_map<std::int64_t, StringId> known_;  // by mangled name
};

}  // namespace prof::importers::nsys
