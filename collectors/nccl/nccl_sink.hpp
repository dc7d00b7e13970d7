// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the collector and libprof_nccl.so share. libprof_nccl.so is a profiler plugin of NCCL and
// knows nothing else; the collector takes calls through an NcclSink, of which ProfCollectorApi has
// the address. A later version may append members; existing ones never change. Threads: any; all
// functions act on the calling one, allocate nothing and take no lock.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::collectors {

/// A call of which NCCL has just launched the kernel, on this thread. The pointers are valid only
/// during the call; null: unknown. Negative numbers: unknown, or there is none.
struct NcclCall {
  std::uint64_t communicator;  ///< Equal on all its ranks.
  std::int64_t sequence;       ///< Of the function in the communicator; of a transfer, of the pair.
  std::uint64_t count;         ///< Elements, as the function's argument.
  const char* function;        ///< "AllReduce"
  const char* type;            ///< "ncclFloat32"
  const char* algorithm;       ///< "RING"
  const char* protocol;        ///< "LL128"
  std::int32_t rank, ranks, peer, root, channels;
};

enum class NcclTaken : std::int32_t {
  kOff,            ///< No capture wants calls.
  kTaken,          ///< Recorded, or counted as lost.
  kUnknownLaunch,  ///< This thread has launched nothing: a callback of CUDA, or a captured call.
};

struct NcclSink {
  std::size_t struct_size;
  NcclTaken (*take)(const NcclCall& call) noexcept;
  /// NCCL uses the plugin, by this version of its interface.
  void (*in_use)(std::uint32_t version) noexcept;
};

/// The collector's.
const NcclSink& nccl_sink() noexcept;

}  // namespace prof::collectors
