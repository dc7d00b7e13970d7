// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/ops/op_source.hpp"

#include <cstring>
#include <span>

#include "collectors/ops/op_arguments.hpp"
#include "collectors/ops/op_event.hpp"

namespace prof::collectors {
namespace {

/// Beyond this size, as when shapes change all the time, known signatures are forgotten and made
/// again.
constexpr std::size_t kMaxBytes = 16U << 20;

}  // namespace

std::optional<OpFact> OpSource::read_op(const OpEvent&, std::string_view name,
                                        std::string_view bytes, ActivitySink& sink) {
  OpHead op{};
  if (bytes.size() < sizeof op) return std::nullopt;
  std::memcpy(static_cast<void*>(&op), bytes.data(), sizeof op);
  OpFact fact;
  fact.signature = signature_of(name, bytes.substr(sizeof op), op.is_backward != 0, sink);
  if (op.sequence >= 0) fact.sequence = static_cast<std::uint64_t>(op.sequence);
  fact.forward_thread = op.forward_thread;
  return fact;
}

StringId OpSource::signature_of(std::string_view name, std::string_view arguments, bool is_backward,
                                ActivitySink& sink) {
  key_.assign(1, is_backward ? 'b' : 'f');
  key_ += name;
  key_ += '\0';
  key_ += arguments;
  if (const auto known = signatures_.find(key_); known != signatures_.end()) return known->second;
  if (signature_bytes_ > kMaxBytes) {
    signatures_.clear();
    signature_bytes_ = 0;
  }
  signature_bytes_ += key_.size() + 64;
  const StringId id = sink.intern(collectors::signature_of(
      name, is_backward, std::as_bytes(std::span(arguments.data(), arguments.size()))));
  signatures_.emplace(key_, id);
  return id;
}

}  // namespace prof::collectors
