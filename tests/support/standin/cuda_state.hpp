// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// State of the stand-in driver, shared by its files. One heap object that is never freed, so that
// calls made late in the process's exit find it alive, as the real driver's callers do.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "standin.hpp"

namespace standin {

inline constexpr int kSuccess = 0, kErrorInvalidValue = 1, kErrorNotInitialized = 3,
                     kErrorNoDevice = 100;
inline constexpr std::uint32_t kStreams = 256;

struct GraphBody;

/// A node with what it does: its work, or the graphs inside it.
struct NodeWork : GraphNode {
  std::uint32_t type = 0;  ///< CUgraphNodeType
  Work work;
  NodeWork* original = nullptr;    ///< From which it was cloned.
  std::vector<GraphBody*> inside;  ///< A child graph, or the bodies of a conditional node.
  std::uint32_t runs = 1;          ///< How often a launch runs the bodies.
};

struct GraphBody : Graph {
  std::vector<NodeWork*> nodes;
  GraphBody* copy = nullptr;     ///< Of an executable: what CUDA keeps beside it.
  std::uint32_t attachment = 0;  ///< CuptiHooks::attachment() when it was made.
};

struct DriverState {
  std::atomic<const CuptiHooks*> hooks{nullptr};
  std::atomic<pid_t> pid{0};  ///< The process that initialized the driver, 0: none yet.
  std::mutex init_mutex;
  std::atomic<pid_t> init_thread{0};
  std::atomic<std::uint64_t> correlation{1};
  std::atomic<std::uint32_t> graphs{0};
  std::atomic<bool> context_told{false};
  std::atomic<std::uint64_t> busy_until_ns[kStreams] = {};
  std::uint64_t kernel_ns = 1000;
  std::mutex pool_mutex;
  std::unordered_set<std::uint64_t> pooled;  ///< Addresses that were allocated from a pool.
  std::mutex names_mutex;
  std::unordered_set<std::string> names;
};

DriverState& driver_state();
std::uint64_t now_ns();

/// Initialises the driver as cuInit does; the status that every call returns before it does its
/// work.
int initialize();

/// 0, or why calls fail in this process: not initialized, or a child made by fork after it was.
int usable();

/// cuCtxSynchronize with its callbacks.
int synchronize_context();

}  // namespace standin
