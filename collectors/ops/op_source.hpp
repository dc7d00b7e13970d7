// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpSource: makes op facts (docs/op_facts.md) from the events that op_sink() has written. A
// signature is made once for all equal calls. One object per session.
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

  /// By their bytes, which hold everything that they state.
  std::unordered_map<std::string, StringId> signatures_;
  std::size_t signature_bytes_ = 0;
  std::string key_;
};

}  // namespace prof::collectors
