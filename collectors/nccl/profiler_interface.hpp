// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's interface to profiler plugins, as far as it is used here: versions 1 to 5, which NCCL
// looks for from 2.23 to 2.28 and later releases still accept (github.com/NVIDIA/nccl,
// plugins/profiler). A plugin exports a table for each version, `ncclProfiler_vN`. Layouts are
// NCCL's; names are ours. NCCL passes descriptions by pointer, so that members of unions which
// nobody reads are left out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::collectors::nccl {

/// Types of events: that of an event's description, and those that a plugin requests.
enum Event : std::uint64_t {
  kGroupEvent = 1U << 0,       ///< Encloses the contents of one kernel.
  kCollectiveEvent = 1U << 1,  ///< A collective in the group.
  kTransferEvent = 1U << 2,    ///< A send or receive in the group.
  kCollectiveApiEvent = 1U << 9,
  kTransferApiEvent = 1U << 10,
};

using Status = int;  ///< 0: success.
using Logger = void (*)(int level, unsigned long flags, const char* file, int line,
                        const char* format, ...);

namespace v1 {
struct Description {
  std::uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t communicator;
      std::uint64_t sequence;
      std::uint8_t function;
      const void* from;
      void* to;
      std::size_t count;
      int root;
      std::uint8_t type;
      std::uint32_t operation;
      std::size_t traffic_bytes;
      std::uint8_t channels, warps, algorithm, protocol;
    } collective;
    struct {
      const char* name;
      std::uint64_t communicator;
      std::uint8_t function;
      void* buffer;
      std::uint8_t type;
      std::size_t count;
      int peer;
    } transfer;
  };
};
}  // namespace v1

namespace v2 {
struct Description {
  std::uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t communicator;
      std::uint64_t sequence;
      const char* function;
      const void* from;
      void* to;
      std::size_t count;
      int root;
      const char* type;
      std::size_t traffic_bytes;
      std::uint8_t channels, warps;
      const char *algorithm, *protocol;
    } collective;
    struct {
      const char* name;
      std::uint64_t communicator;
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
    } transfer;
  };
};
}  // namespace v2

namespace v3 {
struct Description {
  std::uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* name;
      std::uint64_t communicator;
      std::uint64_t sequence;
      const char* function;
      const void* from;
      void* to;
      std::size_t count;
      int root;
      const char* type;
      std::uint8_t channels, warps;
      const char *algorithm, *protocol;
    } collective;
    struct {
      const char* name;
      std::uint64_t communicator;
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
    } transfer;
  };
};
}  // namespace v3

/// From this version on the communicator is stated once, to init().
namespace v4 {
struct Description {
  std::uint8_t type;
  void* parent;
  int rank;
  union {
    struct {
      std::uint64_t sequence;
      const char* function;
      const void* from;
      void* to;
      std::size_t count;
      int root;
      const char* type;
      std::uint8_t channels, warps;
      const char *algorithm, *protocol;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
      std::uint8_t channels;
    } transfer;
  };
};
}  // namespace v4

namespace v5 {
struct Description {
  std::uint64_t type;
  void* parent;
  int rank;
  union {
    struct {
      const char* function;
      std::size_t count;
      const char* type;
      int root;
      void* stream;
      bool is_captured;  ///< The call is captured into a CUDA graph.
    } collective_api;
    struct {
      const char* function;
      std::size_t count;
      const char* type;
      void* stream;
      bool is_captured;
    } transfer_api;
    struct {
      std::uint64_t sequence;
      const char* function;
      const void* from;
      void* to;
      std::size_t count;
      int root;
      const char* type;
      std::uint8_t channels, warps;
      const char *algorithm, *protocol;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* type;
      std::size_t count;
      int peer;
      std::uint8_t channels;
    } transfer;
  };
};
}  // namespace v5

/// A communicator is made; the plugin states which events it wants.
using Init = Status (*)(void** context, int* wanted);
using InitV4 = Status (*)(void** context, int* wanted, const char* name, std::uint64_t communicator,
                          int nodes, int ranks, int rank, Logger log);
using InitV5 = Status (*)(void** context, std::uint64_t communicator, int* wanted, const char* name,
                          int nodes, int ranks, int rank, Logger log);

template <typename InitFunction, typename Description>
struct Table {
  const char* name;
  InitFunction init;
  Status (*start)(void* context, void** event, Description* description);
  Status (*stop)(void* event);
  Status (*update)(void* event, int state, void* arguments);
  Status (*finalize)(void* context);
};

}  // namespace prof::collectors::nccl
