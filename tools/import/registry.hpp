// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// All formats that prof-import reads; the list is in tools/import/CMakeLists.txt. How to add one:
// docs/add.md.
#pragma once

#include <span>
#include <vector>

#include "tools/import/importer.hpp"

namespace prof::importers {

class Registry {
 public:
  void add(const Importer& importer) { importers_.push_back(importer); }
  [[nodiscard]] std::span<const Importer> all() const { return importers_; }

 private:
  std::vector<Importer> importers_;
};

/// Adds every format of the list, in its order.
void register_formats(Registry& registry);

/// All formats, in the order in which they are tried.
std::span<const Importer> formats();

}  // namespace prof::importers
