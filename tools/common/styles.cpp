// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ANSI sequences, see styles.hpp.
#include "tools/common/styles.hpp"

#include <unistd.h>

#include <cstdlib>

namespace prof::tools {
namespace {

std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

Styles Styles::of(int descriptor) {
  const bool unwanted = !variable("NO_COLOR").empty() || variable("TERM") == "dumb";
  return isatty(descriptor) != 0 && !unwanted ? ansi() : Styles();
}

std::string_view Styles::begin(Style style) const {
  if (!on_) return "";
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kYellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace prof::tools
