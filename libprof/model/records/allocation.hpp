// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations and releases of memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "libprof/model/record_parts.hpp"
#include "libprof/model/records/gpu_work.hpp"

namespace prof {

/// Memory that CUDA allocated or released, as CUPTI reports it.
struct AllocationRecord {
  enum class Operation : std::uint8_t { kUnknown, kAllocate, kRelease };
  Correlation correlation = 0;
  Operation operation = Operation::kUnknown;
  MemoryKind memory = MemoryKind::kUnknown;
  std::optional<std::uint32_t> device, context;
  /// The stream in whose order it happens; absent: at once.
  std::optional<std::uint32_t> stream;
  std::int64_t time_ns = 0;
  std::uint64_t address = 0, bytes = 0;
  StringId name;                            ///< Name of a variable in device memory.
  std::optional<std::uint64_t> pool;        ///< Address of the pool that the memory belongs to.
  std::optional<std::uint64_t> pool_bytes;  ///< Size that this pool has reserved.
  friend bool operator==(const AllocationRecord&, const AllocationRecord&) = default;
};

template <>
struct EnumWords<AllocationRecord::Operation> {
  static constexpr std::array<std::string_view, 3> kWords = {"unknown", "allocate", "release"};
};

template <>
struct RecordKind<AllocationRecord> {
  using R = AllocationRecord;
  static constexpr std::string_view kWord = "allocation";
  static constexpr void fields(auto&& v) {
    v("correlation", &R::correlation);
    v("operation", &R::operation);
    v("memory", &R::memory);
    v("device", &R::device);
    v("context", &R::context);
    v("stream", &R::stream);
    v("time_ns", &R::time_ns);
    v("address", &R::address);
    v("bytes", &R::bytes);
    v("name", &R::name);
    v("pool", &R::pool);
    v("pool_bytes", &R::pool_bytes);
  }
  static constexpr TableText kTable = {
      .name = "allocation",
      .doc =
          "Memory that CUDA allocated and released (prof-run --trace memory). What a framework "
          "hands out of its own pool is not among them."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::process_id());
    v(column::value("correlation", &R::correlation, kCorrelationDoc));
    v(column::value("operation", &R::operation, "0 unknown, 1 allocation, 2 release"));
    v(column::value("memory", &R::memory, "CUPTI's memory kind, as memcpy.source"));
    v(column::value("device", &R::device, "device.device; NULL: none"));
    v(column::value("context", &R::context, "CUPTI's context id; NULL: none"));
    v(column::value("stream", &R::stream,
                    "CUPTI's stream id, if it happens in the order of a stream"));
    v(column::time("time_ns", &R::time_ns));
    v(column::value("address", &R::address, "of the memory"));
    v(column::value("bytes", &R::bytes, "size of the memory"));
    v(column::value("name_id", &R::name, "string.id of the name of a variable; 0: none"));
    v(column::value("pool", &R::pool, "address of the memory pool; NULL: of no pool"));
    v(column::value("pool_bytes", &R::pool_bytes,
                    "bytes that this pool has reserved; NULL: unknown"));
  }
};

}  // namespace prof
