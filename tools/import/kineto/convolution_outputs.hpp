// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ConvolutionOutputs: until torch 2.1, a file has no values of arguments, and a convolution's
// stride decides how large its result is. The gradient of the result has its size: the first input
// of the backward node with the op's sequence number, which comes later in the file. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tools/import/kineto/trace_event.hpp"

namespace prof::importers {

class ConvolutionOutputs {
 public:
  /// Takes an op or a node, with the signature that is made of it.
  void take(const TraceEvent& event, std::uint32_t signature_id, std::string_view signature);

  /// The signature of the op with that number, with the result; nullopt: it stays as it is.
  [[nodiscard]] std::optional<std::string> completed(std::uint32_t signature_id,
                                                     std::uint64_t sequence) const;

 private:
  std::map<std::uint32_t, std::string> incomplete_;           // signatures by their ids
  std::unordered_map<std::uint64_t, std::string> gradients_;  // shapes; empty: they differ
};

}  // namespace prof::importers
