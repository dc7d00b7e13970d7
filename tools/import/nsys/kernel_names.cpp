// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/kernel_names.hpp"

#include <utility>

#include "libprof/base/demangle.hpp"

namespace prof::importers::nsys {

StringId KernelNames::of(const Ids& ids) {
  constexpr std::size_t kMaxKnown = 1U << 16;
  if (!ids.mangled) return first_of(ids);
  const auto known = known_.find(*ids.mangled);
  if (known != known_.end()) return known->second;
  Ids readable = ids;
  if (is_unreadable(*ids.mangled)) std::swap(readable.mangled, readable.demangled);
  if (known_.size() == kMaxKnown) known_.clear();
  return known_[*ids.mangled] = first_of(readable);
}

StringId KernelNames::first_of(const Ids& ids) {
  for (const auto& id : {ids.mangled, ids.demangled, ids.brief}) {
    if (!id) continue;
    const auto name = texts_.name(*id, builder_);
    if (name && *name) return *name;
  }
  return {};
}

bool KernelNames::is_unreadable(std::int64_t mangled) {
  const auto symbol = texts_.text(mangled);
  return symbol && symbol->starts_with("_Z") && !demangled(*symbol);
}

}  // namespace prof::importers::nsys
