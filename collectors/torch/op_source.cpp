// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/torch/op_source.hpp"

#include <cstring>

#include "collectors/core/events.hpp"
#include "collectors/torch/op_arguments.hpp"
#include "collectors/torch/op_event.hpp"

namespace prof::collectors {
namespace {

/// Where shapes change all the time, what is known is forgotten and made again.
constexpr std::size_t kMaxBytes = 16U << 20;

}  // namespace

bool TorchOps::read(ThreadId /*thread*/, const EventHeader& header, ActivitySink& sink) {
  if (header.kind != kOpEvent || header.bytes < sizeof(OpEvent) + sizeof(TorchOp)) return false;
  OpEvent event{};
  std::memcpy(static_cast<void*>(&event), &header, sizeof event);
  if (event.bytes > header.bytes - sizeof event || event.bytes < sizeof(TorchOp)) return false;
  const char* const bytes = reinterpret_cast<const char*>(&header) + sizeof event;
  TorchOp op{};
  std::memcpy(static_cast<void*>(&op), bytes, sizeof op);
  OpFactRecord fact;
  fact.range = event.range;
  std::string_view name(bytes + sizeof op, event.bytes - sizeof op);
  if (op.name_bytes > name.size()) return false;
  const std::string_view arguments = name.substr(op.name_bytes);
  name = name.substr(0, op.name_bytes);
  fact.signature = signature_of(name, arguments, op.is_backward != 0, sink);
  if (op.sequence >= 0) fact.sequence = static_cast<std::uint64_t>(op.sequence);
  fact.forward_thread = op.forward_thread;
  sink.records().on(fact);
  return true;
}

StringId TorchOps::signature_of(std::string_view name, std::string_view arguments, bool is_backward,
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
