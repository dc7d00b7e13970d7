// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a document as captures store it.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace prof::test {

inline std::string deflated(std::string_view text) {
  std::string bytes(compressBound(static_cast<uLong>(text.size())), '\0');
  auto size = static_cast<uLongf>(bytes.size());
  compress(reinterpret_cast<Bytef*>(bytes.data()), &size,
           reinterpret_cast<const Bytef*>(text.data()), static_cast<uLong>(text.size()));
  bytes.resize(size);
  return bytes;
}

}  // namespace prof::test
