// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths of layers.
#include <algorithm>
#include <string_view>

#include "analyzers/facts/facts.hpp"

namespace prof {
namespace {

/// Longer paths only occur in damaged files.
constexpr std::size_t kMaxPathBytes = 4096;

void append(std::string& path, std::string_view name) {
  constexpr std::string_view kCut = "...";
  if (path.ends_with(kCut) && path.size() >= kMaxPathBytes) return;
  if (!path.empty()) path += ':';
  path += name;
  if (path.size() > kMaxPathBytes) {
    path.resize(kMaxPathBytes);
    path += kCut;
  }
}

/// "bert.encoder" continues "bert": it is the qualified name of a part of it.
bool continues(std::string_view name, std::string_view around) {
  return !around.empty() && name.size() > around.size() + 1 && name.starts_with(around) &&
         name[around.size()] == '.';
}

}  // namespace

void LayerFacts::add_layer(std::string_view name) {
  if (!path.empty() && continues(name, std::string_view(path).substr(name_at))) {
    // The name replaces the one it continues.
    path.resize(name_at == 0 ? 0 : name_at - 1);
  }
  name_at = path.empty() ? 0 : path.size() + 1;
  append(path, name);
  name_at = std::min(name_at, path.size());
}

void LayerFacts::add_part(std::string_view part) {
  if (part.empty()) return;
  // Names below a root, which has none, stand alone.
  if (path.empty() && inherited.empty()) return add_layer(part);
  std::string& whole = path.empty() ? inherited : path;
  whole += '.';
  whole += part;
  if (whole.size() > kMaxPathBytes) whole.resize(kMaxPathBytes);
}

bool LayerFacts::drop(std::string_view innermost) {
  if (innermost.empty() || !path.ends_with(innermost)) return false;
  const std::size_t begin = path.size() - innermost.size();
  if (begin != 0 && path[begin - 1] != ':') return false;
  path.resize(begin == 0 ? 0 : begin - 1);
  const std::size_t colon = path.rfind(':');
  name_at = colon == std::string::npos ? 0 : colon + 1;
  return true;
}

std::string LayerFacts::guessed_path() const {
  std::string guessed = plain_path;
  const std::string& traced = scopes.empty() ? program : scopes;
  // The names that a program gives its work are better than the compiler's name of the program.
  if (!traced.empty() && (guessed.empty() || !scopes.empty())) append(guessed, traced);
  return guessed;
}

void LayerFacts::add_plain(std::string_view name) {
  plain_at = plain_path.empty() ? 0 : plain_path.size() + 1;
  append(plain_path, name);
  plain_at = std::min(plain_at, plain_path.size());
}

}  // namespace prof
