// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a test script (script.hpp). Commands are grouped by file: cuda_commands.cpp,
// graph_commands.cpp, nccl_commands.cpp, nvtx_commands.cpp, process_commands.cpp,
// descriptor_commands.cpp, rights_commands.cpp, odd_commands.cpp, odd_signals.cpp, os_commands.cpp,
// tool_commands.cpp, torch_commands.cpp, prof_commands.cpp. One Runner a process; run() on any
// thread.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counts.hpp"
#include "script.hpp"
#include "standin.hpp"

class Runner;
using Command = void (*)(Runner& runner, const Statement& statement);
using CommandTable = std::map<std::string_view, Command>;

/// A graph of the script, with what one launch of it counts.
struct ScriptGraph {
  standin::Graph* graph = nullptr;
  standin::Graph* executable = nullptr;
  std::vector<std::pair<std::string, std::string>> nodes;  ///< Group and name, as in Counts.
};

class Runner {
 public:
  Runner();
  void run(const std::vector<Statement>& script);

  /// The stand-in driver, loaded and initialized as the CUDA runtime does it: by dlopen, at the
  /// first call. Null where that fails.
  const standin::Driver* driver();

  ScriptGraph& graph(const std::string& name);

  Counts counts;
  const char* program = "";

 private:
  CommandTable commands_;
  std::mutex mutex_;
  std::atomic<bool> tried_{false};  ///< Read without the lock: a forked child may find it held.
  std::atomic<const standin::Driver*> driver_{nullptr};
  std::map<std::string, ScriptGraph> graphs_;
};

void add_cuda_commands(CommandTable& table);
void add_graph_commands(CommandTable& table);
void add_nccl_commands(CommandTable& table);
void add_nvtx_commands(CommandTable& table);
void add_process_commands(CommandTable& table);
void add_descriptor_commands(CommandTable& table);
void add_rights_commands(CommandTable& table);
void add_odd_commands(CommandTable& table);
void add_odd_signal_commands(CommandTable& table);
void add_os_commands(CommandTable& table);
void add_tool_commands(CommandTable& table);
void add_torch_commands(CommandTable& table);
/// Commands that only one kind of machine has: none with the stand-in.
void add_machine_commands(CommandTable& table);
/// The driver's table, loaded as the CUDA runtime loads the driver; null where that fails.
const standin::Driver* load_driver();
/// Defined by the program that links libprof; the other one adds nothing.
void add_prof_commands(CommandTable& table);

/// The statement's word number `index` as a count, or the fallback where there is none.
std::uint64_t count_word(const Statement& statement, std::size_t index, std::uint64_t fallback);
