// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// KernelNames: the names of a trace's kernels, each demangled once.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "analyzers/kernels/kernel_name.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof::reports {

class KernelNames {
 public:
  struct Name {
    std::string full, brief;
  };

  /// Valid until clear().
  const Name& of(TraceReader& trace, ConfigId config) {
    return of(trace, trace.config(config).name);
  }
  /// Valid until clear().
  const Name& of(TraceReader& trace, StringId mangled) {
    const auto [known, is_new] = names_.try_emplace(mangled.value);
    if (is_new) {
      known->second.full = kernels::demangle(trace.string(mangled));
      known->second.brief = kernels::short_name(known->second.full);
    }
    return known->second;
  }
  /// To be called before another trace.
  void clear() { names_.clear(); }

 private:
  std::unordered_map<std::uint32_t, Name> names_;
};

}  // namespace prof::reports
