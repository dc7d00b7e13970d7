// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpSource: makes op facts (docs/op_facts.md) of what op_sink() has written. A signature is made
// once for all calls alike. Of one session.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/core/capture_source.hpp"

namespace prof::collectors {

class OpSource final : public CaptureSource {
 public:
  Status open() override { return {}; }
  std::optional<OpFact> read_op(const OpEvent& op, std::string_view name, std::string_view bytes,
                                ActivitySink& sink) override;

 private:
  StringId signature_of(std::string_view name, std::string_view arguments, bool is_backward,
                        ActivitySink& sink);

  std::unordered_map<std::string, StringId> signatures_;  ///< By all that they state, as bytes.
  std::size_t signature_bytes_ = 0;
  std::string key_;
};

}  // namespace prof::collectors
