// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The few CUDA driver functions that the collector itself calls, looked up in the libcuda that the
// program has loaded (libprof never loads one: without it there is nothing to capture). They query
// properties and wait for work; none changes the program's state. Any thread; not from CUPTI
// callbacks, except query_kernel_node(), nodes_of_graph() and is_stream_captured().
#pragma once

#include <cstdint>
#include <string>

#include "collectors/core/mapped_memory.hpp"
#include "collectors/cupti/graph_site.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

/// Owns the texts to which a DeviceRecord points.
struct DeviceProperties {
  DeviceRecord record;
  std::string name;
  std::string uuid;
};

/// Whether libcuda is in this process.
bool has_cuda_driver();

/// Everything known about a device; false if the driver cannot be queried.
bool query_device(std::uint32_t ordinal, DeviceProperties& properties);

/// cuDriverGetVersion(), e.g. 13000; 0 without a driver. May deliver a CUPTI callback.
int cuda_driver_version();

/// The kernel module's version ("580.82.07"), or empty.
std::string kernel_driver_version();

/// Looks up the functions that the next four call, once: a look-up takes the loader's lock.
void find_callback_functions();

/// Queries the function that a kernel node runs. Allocates nothing. To be called from the callback
/// at the end of a driver's call. False: the driver does not say, or has no functions for it
/// (before 12.0; names before 12.3).
bool query_kernel_node(const void* node, NodeKernel& kernel) noexcept;

/// Handles of a graph's nodes; empty if the driver does not say. May be called where
/// query_kernel_node() may.
MappedVector<void*> nodes_of_graph(const void* graph) noexcept;

/// Whether a stream is being captured into a graph. May be called where query_kernel_node() may.
bool is_stream_captured(void* stream) noexcept;

/// Whether this is memory of the device that belongs to no pool. May be called where
/// query_kernel_node() may.
bool lacks_pool(std::uint64_t address) noexcept;

/// CUDA's handle of the calling thread's context; null: it has none.
void* current_context();

/// Waits for all work in the primary context of every device and in `other`, which may be null.
void synchronize_all_contexts(void* other);

}  // namespace prof::collectors
