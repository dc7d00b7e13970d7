// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Interface between the collector and libprof_nccl.so. libprof_nccl.so is a profiler plugin of NCCL
// and knows nothing else; the collector takes calls through an NcclSink, whose address is in
// ProfCollectorApi. A later version may append members; existing ones never change. Threads: any;
// all functions act on the calling one, allocate nothing and take no lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::collectors {

/// A call whose kernel NCCL has just launched on this thread. The pointers are valid only during
/// the call; null: unknown. Negative numbers: unknown, or there is none.
struct NcclCall {
  std::uint64_t communicator;  ///< Equal on all ranks of the communicator.
  /// Number of the call among those of its function in the communicator; for a transfer, among
  /// those between the pair of ranks.
  std::int64_t sequence;
  std::uint64_t count;    ///< Elements, as the function's argument.
  const char* function;   ///< "AllReduce"
  const char* type;       ///< "ncclFloat32"
  const char* algorithm;  ///< "RING"
  const char* protocol;   ///< "LL128"
  std::int32_t rank, ranks, peer, root, channels;
};

enum class NcclTaken : std::int32_t {
  kOff,    ///< No capture wants calls.
  kTaken,  ///< Recorded, or counted as lost.
  /// This thread has launched nothing: the call is captured, or comes from a callback of CUDA.
  kUnknownLaunch,
};

struct NcclSink {
  std::size_t struct_size;
  NcclTaken (*take)(const NcclCall& call) noexcept;
  /// NCCL uses the plugin, with this version of its interface.
  void (*in_use)(std::uint32_t version) noexcept;
};

/// The collector's sink.
const NcclSink& nccl_sink() noexcept;

}  // namespace prof::collectors
