// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace prof {

std::optional<std::string> demangled(std::string_view symbol) {
  // Longer symbols are left alone: the demangler's work can grow faster than its input.
  constexpr std::size_t kMaxSymbolBytes = std::size_t{64} * 1024;
  if (!symbol.starts_with("_Z") || symbol.size() > kMaxSymbolBytes) return std::nullopt;
  const std::string terminated(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || readable == nullptr) return std::nullopt;
  return std::string(readable.get());
}

}  // namespace prof
