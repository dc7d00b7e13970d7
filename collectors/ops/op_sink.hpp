// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Interface between the collector and libprof_torch.so. libprof_torch.so observes the ops of
// PyTorch and knows nothing else; the collector takes them through an OpSink, whose address is in
// ProfCollectorApi. A later version may append members; existing ones never change. Threads: any;
// both functions act on the calling one, allocate nothing and take no lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::collectors {

/// An op that begins. The pointers are valid only during the call.
struct OpBegin {
  const char* name;       ///< Zero-terminated.
  std::int64_t sequence;  ///< Autograd's number; negative: none.
  /// The calling thread, as PyTorch numbers it; 0: unknown to PyTorch.
  std::uint64_t thread;
  /// For a backward node: the thread that assigned `sequence`, as PyTorch numbers it; 0: unknown.
  std::uint64_t forward_thread;
  const std::byte* arguments;  ///< op_arguments.hpp; null: a range of the program's own.
  std::uint32_t argument_bytes;
  std::uint32_t is_backward;  ///< The op is a node of autograd.
};

struct OpSink {
  std::size_t struct_size;
  /// An op begins. False: the op is not kept, and its end is not reported.
  bool (*begin)(const OpBegin& op) noexcept;
  /// The innermost op that has begun ends. False: not accepted now; report it again before the next
  /// begin.
  bool (*end)() noexcept;
};

/// The collector's sink.
const OpSink& op_sink() noexcept;

}  // namespace prof::collectors
