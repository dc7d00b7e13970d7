// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts that are too wide for their column, cut in the middle: "void at::nat…loat>",
// "encoder:…:attn". Never splits a character, nor a number if anything else is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace prof::reports {

inline constexpr std::string_view kCutMark = "…";

/// The rest of a text: `head`, then kCutMark, then `tail`.
struct Shortened {
  std::string_view head, tail;
};

enum class KeptPart : std::uint8_t {
  kStart,  ///< Two thirds of what is left are the text's start.
  kEnd,    ///< For a path: as many of its last parts as fit into two thirds.
};

/// `text`, which is wider than `width`, in at most `width` columns, the mark included. It must be
/// printable, and `width` at least 1.
Shortened shorten(std::string_view text, std::size_t width, KeptPart kept);

// C++ functions without what their names share: "void at::native::fill<at::Half>(int, at::Half)"
// is bare "fill<Half>".

/// `text` without its return type void, all namespaces and its parameters; `text` itself if it is
/// no demangled C++ function with parameters.
std::string bare_name(std::string_view text);

}  // namespace prof::reports
