// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/registry.hpp"

namespace prof::importers {

std::span<const Importer> formats() {
  static const Registry registry = [] {
    Registry made;
    register_formats(made);
    return made;
  }();
  return registry.all();
}

}  // namespace prof::importers
